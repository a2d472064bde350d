"""Sessions of agents with rcssserver3d 0.7.3, as they were recorded."""

import json
from pathlib import Path

SESSIONS = Path(__file__).parents[2] / "data" / "sessions"


def scripted_session() -> list[tuple[str, str]]:
    """Messages from (">") and to ("<") an agent that follows a script."""
    lines = (SESSIONS / "single_sync_type0.txt").read_text().splitlines()
    return [(line[0], line[2:]) for line in lines]


def real_session() -> list[tuple[str, str]]:
    """The same of an agent that plays."""
    entries = map(json.loads, (SESSIONS / "real_agent_session.jsonl").read_text().splitlines())
    return [("<" if entry["d"] == "S>C" else ">", entry["s"]) for entry in entries]


def messages_to_agents() -> list[str]:
    """All messages to both."""
    return [text for direction, text in scripted_session() + real_session() if direction == "<"]
