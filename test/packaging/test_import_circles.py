"""The contract against circles of imports names the modules of a circle in the order of their imports."""

import pytest
from grimp import ImportGraph

from scripts.import_circles import NoCircles


def graph_of(*imports: str) -> ImportGraph:
    graph = ImportGraph()
    for one in imports:
        importer, imported = one.split()
        graph.add_import(importer=importer, imported=imported)
    return graph


def test_a_circle_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    contract = NoCircles("circles", {}, {})
    check = contract.check(graph_of("p.top p.loop", "p.loop p.world", "p.world p.rule", "p.rule p.loop"), verbose=False)
    assert not check.kept
    contract.render_broken_contract(check)
    named = capsys.readouterr().out.splitlines()
    assert sorted(named) == ["p.loop imports p.world", "p.rule imports p.loop", "p.world imports p.rule"]


def test_two_folders_that_import_each_other_are_no_circle() -> None:
    graph = graph_of("p.one.high p.two.middle", "p.two.middle p.one.low")
    assert NoCircles("circles", {}, {}).check(graph, verbose=False).kept
