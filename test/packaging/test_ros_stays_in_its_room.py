"""import-linter does not see the generated messages, as they are no files of the checkout."""

import re

from simspark_ros.configuration.resources import resource


def test_generated_messages_are_imported_in_the_ros_room_alone() -> None:
    package = resource("simspark_ros")
    imports = re.compile(r"^\s*(from|import) simspark_ros\.(msg|srv|action)\b", re.M)
    users = [path for path in package.rglob("*.py") if imports.search(path.read_text())]
    assert users
    assert {path.relative_to(package).parts[0] for path in users} == {"ros"}
