"""What is derived from a model is kept as long as the model."""

from dataclasses import replace

from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.physics.model_cache import kept_with_model
from simspark_ros.robots.catalogue import load_robot

MODEL = load_robot("nao").model


def test_a_result_is_computed_once_for_equal_models_and_arguments() -> None:
    computed: list[tuple[str, int]] = []

    @kept_with_model
    def derived(model: ArticulatedModel, number: int = 0) -> str:
        computed.append((model.name, number))
        return model.name

    assert derived(MODEL) == derived(replace(MODEL)) == derived(MODEL, number=0) == MODEL.name
    assert derived(replace(MODEL, name="other"), 2) == "other"
    assert computed == [(MODEL.name, 0), (MODEL.name, 0), ("other", 2)]
