"""The catalog: cited reference data, loaded once, checked, and asked by everyone above."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from app.catalog.accelerators import lowest_of, read_accelerators
from app.catalog.architectures import Architecture, read_architectures
from app.catalog.files import DATA
from app.catalog.hardware import FabricRule, Hardware, HardwareFinder, read_fabrics
from app.catalog.instances import Instances, read_instances
from app.catalog.models import abbreviated, called, read_models, search
from app.catalog.names import Names, Question
from app.catalog.places import Place, common_zone, read_places
from app.catalog.resolution import Resolution
from app.catalog.snapshot import read_snapshot
from app.catalog.terms import Providers, ProviderTerms, read_providers, read_terms
from app.catalog.vocabulary import read_vocabulary
from app.domain.accelerator import Accelerator
from app.domain.errors import NotFound
from app.domain.model import ModelShape
from app.domain.offer import ScrapedOffer
from app.domain.place import Territory


class Catalog:
    """Everything the catalog knows. Immutable after loading; every lookup is pure."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.accelerators: Mapping[str, Accelerator] = read_accelerators(folder)
        self.architectures: Mapping[str, Architecture] = read_architectures(folder)
        self.models: Mapping[str, ModelShape] = read_models(folder, self.architectures)
        self.instances: Instances = read_instances(folder, self.accelerators)
        self.providers: Providers = read_providers(folder)
        self._terms = read_terms(folder, self.providers)
        self._places = read_places(folder)
        vocabulary = read_vocabulary(folder, self.accelerators)
        self._names = Names(self.accelerators, vocabulary, self.instances)
        self._fabrics = fabrics = read_fabrics(folder, self.accelerators)
        clusters = {slug: terms.multi_node for slug, terms in self._terms.items()}
        self._hardware = HardwareFinder(self.accelerators, self.instances, fabrics, clusters)

    def accelerator(self, key: str) -> Accelerator:
        """The accelerator of a key.

        Raises:
            NotFound: no such key.
        """
        try:
            return self.accelerators[key]
        except KeyError:
            raise NotFound("accelerator", key) from None

    def model(self, key: str) -> ModelShape:
        """The model shape of a key.

        Raises:
            NotFound: no such key.
        """
        try:
            return self.models[key]
        except KeyError:
            raise NotFound("model", key) from None

    def search_models(self, text: str) -> list[ModelShape]:
        """Models whose key, name or family holds every word of `text`, closest first."""
        return search(self.models, text)

    def models_like(self, text: str) -> list[ModelShape]:
        """Models whose family and more of `text`'s words fit, abbreviations too, the most alike first."""
        return abbreviated(self.models, text)

    def model_called(self, text: str) -> ModelShape | None:
        """The one model that is spelled like `text`, by key, name or Hugging Face id; None where none or several are."""
        return called(self.models, text)

    def resolve(
        self,
        name: str,
        provider: str | None = None,
        instance_type: str | None = None,
        memory_gb: float | None = None,
        count: float | None = None,
    ) -> Resolution:
        """Which accelerator a provider means; `memory_gb` per accelerator, `count` per instance."""
        slug = self.providers.hardware_slug(self.providers.slug(provider)) if provider else None
        return self._names.resolve(Question(name, slug, memory_gb or None, count or None), instance_type)

    def lowest_of(self, keys: Sequence[str], label: str) -> tuple[Accelerator, tuple[str, ...]]:
        """What to compute with where a name may mean any of `keys`, and which figures are assumed."""
        return lowest_of([self.accelerator(key) for key in keys], label)

    def hardware_of(self, offer: ScrapedOffer, resolution: Resolution) -> Hardware:
        """Link, fabric and host of an offer, each with its source."""
        slug = self.providers.hardware_slug(self.providers.slug(offer.provider))
        return self._hardware.find(slug, offer, resolution)

    def terms(self, provider: str) -> ProviderTerms:
        """Billing and interruption terms; all unknown for a provider nobody described."""
        slug = self.providers.slug(provider)
        return self._terms.get(slug) or ProviderTerms(slug)

    def fabrics_of(self, provider: str) -> tuple[FabricRule, ...]:
        """Node networks that are known of a provider's product lines, in the order in which they are tried."""
        slug = self.providers.hardware_slug(self.providers.slug(provider))
        return tuple(rule for rule in self._fabrics if rule.provider == slug)

    def provider_name(self, slug: str) -> str:
        """The provider's name for people."""
        return self.providers.name(slug)

    def provider_slug(self, text: str) -> str:
        """The canonical slug of a provider as anybody writes it."""
        return self.providers.slug(text)

    def place(self, provider: str, region: str, country: str | None = None) -> Place:
        """Where a provider's region lies; where the region tells nothing, the country that the source states.
        Unknown stays unknown."""
        return self._places.find(self.providers.slug(provider), region, country)

    def zone(self, provider: str, zone: str | None) -> str | None:
        """See `places.common_zone`."""
        return common_zone(self.providers.hardware_slug(self.providers.slug(provider)), zone)

    @property
    def continents(self) -> frozenset[str]:
        """Every continent that a place may be on."""
        return self._places.continents

    def country_name(self, code: str) -> Territory:
        """A country's English name, which knows its code; an unlisted code as it stands."""
        return Territory(self._places.country_name(code), code)

    def snapshot(self) -> Iterator[ScrapedOffer]:
        """The bundled offers, `observed_at` = the day their source was read.

        Raises:
            CatalogError: the snapshot is malformed.
        """
        return read_snapshot(self._folder)


@cache
def load_catalog(folder: Path = DATA) -> Catalog:
    """The catalog of a folder, loaded and checked once.

    Raises:
        CatalogError: a file is malformed; names file, line and column.
    """
    return Catalog(folder)
