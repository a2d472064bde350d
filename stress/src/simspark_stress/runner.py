"""Runs attacks one after another and reports the good client's observations of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from simspark_stress.dialects import dialect_of
from simspark_stress.hostile_client import Attack, AttackContext
from simspark_stress.probe import NoServerError, Probe
from simspark_stress.probe_checks import Observation
from simspark_stress.report import AttackResult, Verdict
from simspark_stress.settings import StressSettings

CONTROL = "(nobody)"
"""Name of the period before the first attack. Its faults come from the server or the machine itself."""

_GOOD = 20
"""Faultless messages in a row after which the good client has recovered."""

_RATE_WINDOW = 1.0
"""Shortest attack whose pace is checked, s."""

_JOINING = 30.0
"""Longest time until a restarted server accepts connections, s."""


class StressRun:
    """One run over a list of attacks.

    Attributes:
        lockstep: whether the server waits for answers.

    The good client joins the server at once. `restart` starts a dead or stuck server again; without it the run ends
    there. `report` is called with each result.

    Raises:
        NoServerError: the good client cannot join.
    """

    def __init__(
        self,
        settings: StressSettings,
        restart: Callable[[], None] | None = None,
        report: Callable[[AttackResult], None] = lambda result: None,
    ) -> None:
        self._settings = settings
        self._restart = restart
        self._report = report
        self._dialect = dialect_of(settings.league, settings.robot)
        self._probe = self._join()
        self.lockstep = self._probe.lockstep
        self._usual_rate = 0.0

    def run(self, attacks: Sequence[Attack]) -> list[AttackResult]:
        """Run all attacks; once the server is gone and not restarted, the rest are reported as not run."""
        results = [self._control()]
        gone = results[0].verdict in (Verdict.DEAD, Verdict.STUCK)
        for attack in attacks:
            if gone:
                result = AttackResult(attack.name, Verdict.NOT_RUN, seen="the server is gone; give --restart to go on")
            else:
                result = self._attack(attack)
                gone = result.verdict in (Verdict.DEAD, Verdict.STUCK) and not self._restart_server()
            results.append(result)
            self._report(result)
        return results

    def close(self) -> None:
        """Have the good client leave."""
        self._probe.close()

    def _join(self) -> Probe:
        settings = self._settings
        return Probe(settings.address, settings.team, settings.cycle, settings.recovery, dialect=self._dialect)

    def _control(self) -> AttackResult:
        self._probe.begin()
        began = time.monotonic()
        time.sleep(self._settings.control)
        result = self._result(CONTROL, self._settings.max_gap, began, "")
        self._usual_rate = result.rate
        self._report(result)
        return result

    def _attack(self, attack: Attack) -> AttackResult:
        settings = self._settings
        seed = f"{settings.seed} {attack.name}"
        addresses = settings.address, settings.monitor_address
        context = AttackContext(*addresses, self.lockstep, seed, settings.limit, dialect=self._dialect)
        max_gap = settings.silent_patience if attack.silent and self.lockstep else settings.max_gap
        self._probe.begin()
        began = time.monotonic()
        refused = ""
        try:
            attack.run(context)
        except OSError as error:
            # A refused attacker alone is no harm: the verdict depends on the good client.
            refused = f"an attacker could not connect ({error.strerror or error})"
        finally:
            context.close()
        return self._result(attack.name, max_gap, began, refused)

    def _result(self, name: str, max_gap: float, began: float, remark: str) -> AttackResult:
        """Wait for the good client to recover, then judge its observations; replace it if it is lost."""
        probe = self._probe
        recovered = probe.settle(_GOOD, self._settings.recovery)
        seen = probe.observation()
        faults = self._faults(seen, max_gap)
        verdict = Verdict.HARMED if faults else Verdict.CLEAN
        if not recovered:
            lost = probe.lost or f"no {_GOOD} faultless messages in a row within {self._settings.recovery:g} s"
            faults.insert(0, f"good client: {lost}")
            verdict = self._replace_probe(faults)
        text = "; ".join(faults or ([remark] if remark else []))
        took = time.monotonic() - began
        return AttackResult(name, verdict, seen.longest_gap, seen.messages, seen.lost, seen.rate, took, text)

    def _faults(self, seen: Observation, max_gap: float) -> list[str]:
        faults = [f"{count} x {kind}" for kind, count in seen.problems.items()]
        if seen.examples:
            faults[-1] += f" ({seen.examples[0]})"
        if seen.longest_gap > max_gap:
            faults.append(f"no message for {seen.longest_gap:.2f} s")
        if not self.lockstep and not faults and seen.seconds >= _RATE_WINDOW:
            least = self._usual_rate * self._settings.min_rate
            if seen.rate < least:
                faults.append(
                    f"simulated time ran at {seen.rate:.2f} of real time, but at {self._usual_rate:.2f} before"
                )
        return faults

    def _replace_probe(self, faults: list[str]) -> Verdict:
        """Replace the good client; the new one shows whether the server still works."""
        self._probe.close()
        try:
            self._probe = self._join()
        except NoServerError as error:
            faults.append(str(error))
            return Verdict.STUCK if error.listening else Verdict.DEAD
        if not self._probe.settle(_GOOD, self._settings.recovery):
            faults.append("a new good client fares no better")
            return Verdict.STUCK
        return Verdict.HARMED

    def _restart_server(self) -> bool:
        if self._restart is None:
            return False
        self._probe.close()
        self._restart()
        end = time.monotonic() + _JOINING
        while True:
            try:
                self._probe = self._join()
                return True
            except NoServerError:
                if time.monotonic() > end:
                    return False
                time.sleep(0.1)
