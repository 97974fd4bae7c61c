"""Cited reference data: accelerators, names, models, instances, terms, places and a dated snapshot of offers."""

from app.catalog.catalog import Catalog, load_catalog
from app.catalog.hardware import Hardware
from app.catalog.places import Place
from app.catalog.resolution import Resolution
from app.catalog.terms import ProviderTerms

__all__ = ["Catalog", "Hardware", "Place", "ProviderTerms", "Resolution", "load_catalog"]
