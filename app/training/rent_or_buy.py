"""Rent or buy: what an owned accelerator costs per hour of use, and when it has paid for itself."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.accelerator import Accelerator
from app.domain.errors import BadInput
from app.domain.figures import plain
from app.domain.sentence import N_, Sentence
from app.domain.units import HOURS_PER_YEAR
from app.training.assumption import Assumption

ASSUMPTIONS: tuple[Assumption, ...] = (
    Assumption(
        "own.host_share",
        0.35,
        "share of the accelerator's price",
        0.15,
        0.6,
        "assume: board, host, network",
        "low",
    ),
    Assumption(
        "own.years", 4.0, "years", 3.0, 6.0, "assume: depreciation of large clouds 4 to 6 years", "low"
    ),
    Assumption("own.residual", 0.15, "share of the purchase", 0.0, 0.4, "assume", "low"),
    Assumption("own.capital", 0.08, "per year", 0.03, 0.15, "assume: cost of money", "low"),
    Assumption(
        "own.upkeep", 0.05, "of the purchase per year", 0.02, 0.1, "assume: maintenance and space", "low"
    ),
    Assumption(
        "own.pue",
        1.3,
        "multiple of the power",
        1.0,
        1.6,
        "colocation 1.3; hyperscale 1.1; industry mean 1.56",
    ),
    Assumption(
        "own.usd_per_kwh", 0.12, "USD/kWh", 0.05, 0.35, "assume: US industry 0.08, EU household 0.30", "low"
    ),
    Assumption(
        "own.host_power",
        1.65,
        "multiple of the TDP",
        1.2,
        2.0,
        "DGX 10.2 kW for 8 × 700 W = 1.8; A100 6.5 kW = 2.0",
    ),
    Assumption("own.desk_host_watts", 100.0, "W", 50.0, 200.0, "assume: host share of a workstation", "low"),
    Assumption("own.idle_power", 0.3, "share of full power", 0.1, 0.5, "assume", "low"),
)
_VALUES = {a.name: a.value for a in ASSUMPTIONS}


@dataclass(frozen=True, slots=True)
class Ownership:
    """What owning takes; money in USD, shares as fractions. `price` is of one accelerator, `host_share` what the
    rest of the machine adds to it, `kilowatts` at the wall at full load, host included."""

    price_usd: float
    kilowatts: float
    host_share: float = _VALUES["own.host_share"]
    years: float = _VALUES["own.years"]
    residual: float = _VALUES["own.residual"]
    capital_rate: float = _VALUES["own.capital"]
    upkeep_rate: float = _VALUES["own.upkeep"]
    pue: float = _VALUES["own.pue"]
    usd_per_kwh: float = _VALUES["own.usd_per_kwh"]
    idle_power: float = _VALUES["own.idle_power"]

    @property
    def outlay_usd(self) -> float:
        """Purchase with its share of the host."""
        return self.price_usd * (1.0 + self.host_share)


@dataclass(frozen=True, slots=True)
class RentOrBuy:
    """USD per hour of use of one accelerator, owned against rented. `break_even_months` of calendar time at the
    given utilisation, None where owning never pays back; `break_even_utilisation` = least share of use over the
    whole life at which owning is not dearer, None where it is dearer even at full use."""

    depreciation_usd: float
    capital_usd: float
    power_usd: float
    upkeep_usd: float
    own_usd_per_hour: float
    rent_usd_per_hour: float
    break_even_months: float | None
    break_even_utilisation: float | None
    why: Sentence


def ownership_of(accelerator: Accelerator, price_usd: float | None = None) -> Ownership:
    """Ownership with default figures: the given price, else the catalog's dated one.

    Raises:
        BadInput: neither a price nor power is known.
    """
    price = accelerator.purchase_usd if price_usd is None else price_usd
    if price is None:
        raise BadInput(
            "purchase_usd",
            Sentence("no purchase price of {name} is known; give one", {"name": accelerator.name}),
        )
    if accelerator.tdp_watts is None:
        raise BadInput(
            "kilowatts", Sentence("the power of {name} is not known; give it", {"name": accelerator.name})
        )
    if accelerator.tier == "datacenter":
        watts = accelerator.tdp_watts * _VALUES["own.host_power"]
    else:
        watts = accelerator.tdp_watts + _VALUES["own.desk_host_watts"]
    return Ownership(price_usd=price, kilowatts=watts / 1000.0)


def compare(own: Ownership, rent_usd_per_hour: float, utilisation: float) -> RentOrBuy:
    """Owned against rented, per accelerator and hour of use; `rent_usd_per_hour` of one accelerator.

    Depreciation is straight; capital costs on half the purchase on average; idle hours draw idle power. Break-even:
    outlay less residual ÷ what each month of use saves (docs/throughput_model.md §7).

    Raises:
        BadInput: a figure out of its range; names the field.
    """
    _check(own, rent_usd_per_hour, utilisation)
    used = HOURS_PER_YEAR * utilisation
    depreciation = own.outlay_usd * (1.0 - own.residual) / (own.years * used)
    capital = own.outlay_usd * own.capital_rate / 2.0 / used
    upkeep = own.outlay_usd * own.upkeep_rate / used
    power = _power(own, utilisation)
    months = _months(own, rent_usd_per_hour, utilisation)
    own_usd = depreciation + capital + upkeep + power
    text = N_("owned ${own} an hour of use, rented ${rent}: bought, it pays back after {months} months")
    if months is None:
        text = N_(
            "owned ${own} an hour of use, rented ${rent}: bought, it never pays back at this utilisation"
        )
    values = {
        "own": f"{own_usd:.2f}",
        "rent": f"{rent_usd_per_hour:.2f}",
        "months": "–" if months is None else f"{months:.0f}",
    }
    return RentOrBuy(
        depreciation_usd=depreciation,
        capital_usd=capital,
        power_usd=power,
        upkeep_usd=upkeep,
        own_usd_per_hour=own_usd,
        rent_usd_per_hour=rent_usd_per_hour,
        break_even_months=months,
        break_even_utilisation=_least_use(own, rent_usd_per_hour),
        why=Sentence(text, values),
    )


def _power(own: Ownership, utilisation: float) -> float:
    idle = own.idle_power * (1.0 - utilisation) / utilisation
    return own.kilowatts * own.pue * own.usd_per_kwh * (1.0 + idle)


def _months(own: Ownership, rent: float, utilisation: float) -> float | None:
    yearly = own.outlay_usd * (own.capital_rate / 2.0 + own.upkeep_rate)
    saved = (rent - _power(own, utilisation)) * HOURS_PER_YEAR * utilisation - yearly
    return own.outlay_usd * (1.0 - own.residual) / saved * 12.0 if saved > 0 else None


def _least_use(own: Ownership, rent: float) -> float | None:
    """Utilisation at which a year of rent equals a year of owning; both are linear in it."""
    full = own.kilowatts * own.pue * own.usd_per_kwh
    yearly = own.outlay_usd * ((1.0 - own.residual) / own.years + own.capital_rate / 2.0 + own.upkeep_rate)
    per_hour = rent - full * (1.0 - own.idle_power)
    if per_hour <= 0:
        return None
    share = (yearly / HOURS_PER_YEAR + full * own.idle_power) / per_hour
    return share if share <= 1.0 else None


def _check(own: Ownership, rent: float, utilisation: float) -> None:
    limits = (
        ("purchase_usd", own.price_usd, 0.0, 1e9),
        ("rent_usd_per_hour", rent, 0.0, 1e6),
        ("years", own.years, 0.1, 50.0),
        ("residual", own.residual, 0.0, 1.0),
        ("capital_rate", own.capital_rate, 0.0, 1.0),
        ("upkeep_rate", own.upkeep_rate, 0.0, 1.0),
        ("pue", own.pue, 1.0, 5.0),
        ("usd_per_kwh", own.usd_per_kwh, 0.0, 10.0),
        ("kilowatts", own.kilowatts, 0.0, 100.0),
        ("host_share", own.host_share, 0.0, 10.0),
        ("idle_power", own.idle_power, 0.0, 1.0),
    )
    for name, value, low, high in limits:
        if not low <= value <= high:
            said = {"low": plain(low), "high": plain(high), "value": plain(value)}
            raise BadInput(name, Sentence("must lie between {low} and {high} (given: {value})", said))
    if not 0.0 < utilisation <= 1.0:
        said = {"value": plain(utilisation)}
        raise BadInput("utilisation", Sentence("must be above 0 and at most 1 (given: {value})", said))
