"""A tracker that died behind a living broker is noticed, one that is quiet or restarts is not."""

from datetime import timedelta

from cardtrail.services.planner.pulse import PATH, Pulse
from tests.services.planner.routes import NOW


def after(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


def all_heard(pulse: Pulse, at: float, *but: str) -> None:
    for service in PATH:
        if service not in but:
            pulse.heard(service, 0.0, NOW + after(at))


def test_services_that_speak_keep_us_seeing() -> None:
    pulse = Pulse(NOW, 60)
    all_heard(pulse, 50)
    assert pulse.blind(NOW + after(110)) is None


def test_one_silent_service_on_the_way_makes_blind_since_it_was_last_heard() -> None:
    pulse = Pulse(NOW, 60)
    all_heard(pulse, 10)
    all_heard(pulse, 70, "decider")
    blind = pulse.blind(NOW + after(71))
    assert blind is not None
    assert (blind.why, blind.detail, blind.since) == ("tracker-silent", "decider", NOW + after(10))


def test_a_service_that_lives_with_a_fold_that_hangs_is_silent() -> None:
    pulse = Pulse(NOW, 60)
    all_heard(pulse, 100, "projector")
    pulse.heard("projector", 61.0, NOW + after(100))
    blind = pulse.blind(NOW + after(100))
    assert blind is not None
    assert blind.detail == "projector"


def test_nobody_ever_heard_is_silence_since_the_start() -> None:
    pulse = Pulse(NOW, 60)
    assert pulse.blind(NOW + after(60)) is None
    assert pulse.blind(NOW + after(61)) is not None


def test_our_own_absence_is_not_their_silence() -> None:
    pulse = Pulse(NOW, 60)
    pulse.again(NOW + after(300))
    assert pulse.blind(NOW + after(301)) is None


def test_other_services_do_not_count() -> None:
    pulse = Pulse(NOW, 60)
    pulse.heard("web", 0, NOW)
    all_heard(pulse, 100)
    assert pulse.blind(NOW + after(110)) is None
