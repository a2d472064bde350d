import dataclasses

import pytest
import yaml

from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.soccer.referee.rulebook import SECTIONS, RuleBook, explanations, load_rule_book
from simspark_ros.soccer.referee.rules import RULES, rule_numbers
from simspark_ros.soccer.settings import load_soccer_settings


def test_the_default_book_has_every_number_of_the_code_explained(tmp_path):
    document = yaml.safe_load(resource("config", "rules", "rcssserver3d.yaml").read_text())
    of_rules = {name: rule.options for name, rule in RULES.items() if rule.options}
    assert set(document) == {*SECTIONS, *of_rules} and document.pop("plug_ins") == {}
    assert set(document.pop("order")) == set(RULES)
    for section, values in document.items():
        numbers = of_rules[section]() if section in of_rules else getattr(RuleBook(), section)
        assert values == dataclasses.asdict(numbers), section
    texts = explanations()
    names = [(section, one.name) for section, one, _ in rule_numbers(load_rule_book(), RULES) if section != "order"]
    assert not [name for name in names if not texts.get(".".join(name))]


def test_every_shipped_book_can_be_played_with_and_single_numbers_are_changed_last(play):
    for path in resource("config", "rules").glob("*.yaml"):
        play(rules=path.stem).run(1)
    played = play(profile="manual2010", changes=("rules.game.clock_restarts=false", "beam.noise_xy=0"))
    assert not played.world.settings.rules.game.clock_restarts and played.world.settings.beam.noise_xy == 0


def test_a_book_of_ones_own_names_only_what_differs(tmp_path, play):
    path = tmp_path / "mine.yaml"
    path.write_text("based_on: rcssserver3d_2016\ngame: {half_time: 60}\norder: {charging: false}\n")
    book = load_rule_book(str(path))
    assert (book.game.half_time, book.game.goal_pause) == (60.0, 3.0)
    played = play(rules=str(path))
    rules = {rule.name: rule.settings for rule in played.referee.rules}
    assert "charging" not in rules and rules["crowding"].third_distance == 1.0
    assert played.world.settings.environment["RuleHalfTime"] == 60.0


def test_a_world_file_names_its_book_beside_it_and_books_based_on_each_other_are_refused(tmp_path):
    (tmp_path / "book.yaml").write_text("based_on: rcssserver3d\ngame: {half_time: 60, goal_pause: 5}\n")
    data = yaml.safe_load(resource("config", "worlds", "soccer.yaml").read_text())
    world = tmp_path / "world.yaml"
    for section, half_time in (("book.yaml", 60.0), ({"book": "book.yaml", "game": {"half_time": 70}}, 70.0)):
        world.write_text(yaml.safe_dump({**data, "rules": section}))
        rules = load_soccer_settings(world).rules
        assert (rules.game.half_time, rules.game.goal_pause) == (half_time, 5.0)
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{name}.yaml").write_text(f"based_on: {other}.yaml\n")
    with pytest.raises(ConfigurationError, match="in a circle"):
        load_rule_book(str(tmp_path / "a.yaml"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rules": "unknown"}, "unknown rule book 'unknown'; use one of: fifa, kidsize, msl, "),
        ({"changes": ("rules.game.half_tme=60",)}, "game: unknown key 'half_tme'; use one of: half_time"),
        ({"changes": ("rules.game.half_time=-1",)}, "half_time must be above 0"),
        ({"changes": ("rules.charging.min_sped=1",)}, "change 'rules.charging.*unknown key 'min_sped'"),
        ({"changes": ("rules.offside.margin=-1",)}, "rules: offside: margin must be at least 0"),
        ({"changes": ("rules.ofside.margin=1",)}, "rules: unknown key 'ofside'; .* did you mean 'offside'"),
        ({"changes": ("rules.order.ofside=true",)}, "unknown rule 'ofside'; use one of: .*offside"),
        ({"changes": ("rules.game.half_time",)}, "'rules.game.half_time': must be SECTION.KEY=VALUE"),
        ({"changes": ("rules.game={",)}, "must be SECTION.KEY=VALUE"),
        ({"changes": ("rules=3",)}, "must be SECTION.KEY=VALUE"),
        ({"changes": ("beam.noise_deg=0", "beam.heigt=1")}, "'beam.heigt=1'.*--set.*did you mean 'height'"),
        ({"changes": ("beam.noise_deg=-1",)}, "'beam.noise_deg=-1'.*at least 0"),
        ({"rules": "chess", "changes": ("beam.noise_deg=0",)}, "--rules.*'chess'"),
        ({"changes": ("rules.ball.out_reset=never",)}, "out_reset: must be one of 'set_play', 'put_back'"),
    ],
)
def test_mistakes_are_named(play, settings, message):
    with pytest.raises(ConfigurationError, match=message):
        play(**settings)


@pytest.mark.parametrize("book", ["rcssserver3d", "spl", "ssim26"])
def test_the_game_time_at_which_a_half_begins_is_a_decimal_number(book):
    """Programs that read events find 0.0 before the game, as they find 12.34 in it."""
    game = load_rule_book(book).game
    assert {type(game.begin_of(half)) for half in range(1, 6)} == {float}
