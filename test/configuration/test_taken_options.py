from simspark_ros.server.settings import ServeSettings
from simspark_ros.server.viewer_settings import ViewerSettings


def test_the_viewer_takes_all_its_settings_from_those_of_the_server() -> None:
    options = ServeSettings(bind="::1", viewer=8123, viewer_follow="ball", viewer_distance=3.0)
    page = ViewerSettings.of(options, token="secret")
    assert page == ViewerSettings(host="::1", bind="::1", port=8123, follow="ball", distance=3.0, token="secret")
    # The program decides over its own options.
    assert ViewerSettings.of(options, port=8081).port == 8081
