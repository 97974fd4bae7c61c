"""Parameters of image and text towers that stand beside a model's main stack."""

from __future__ import annotations

from app.catalog.config_fields import ConfigFields, bad


def patch_count(fields: ConfigFields) -> int:
    """Patches of one image; 224 and 16 pixels where the config leaves them out.

    Raises:
        BadInput: the image is smaller than a patch.
    """
    image, patch = fields.whole("image_size") or 224, fields.whole("patch_size") or 16
    if image < patch:
        raise bad("image_size {image} is smaller than patch_size {patch}", image=image, patch=patch)
    return int((image // patch) ** 2)


def patches(fields: ConfigFields, hidden: int) -> int:
    """Patch embedding with bias, class token, position table."""
    patch, channels = fields.whole("patch_size") or 16, fields.whole("num_channels") or 3
    return hidden * (patch * patch * channels + 1 + 1 + patch_count(fields) + 1)


def classes(fields: ConfigFields) -> int:
    """Classes of the classifier, 0 where there is none."""
    return fields.whole("num_labels") or fields.items("id2label") or 0


def tower(fields: ConfigFields, words: int) -> int:
    """Parameters of a plain transformer tower: attention, two-layer feed-forward, norms and biases."""
    hidden, layers = fields.needed("hidden_size"), fields.needed("layers")
    ffn = fields.whole("ffn_hidden_size") or 4 * hidden
    layer = 4 * hidden * (hidden + 1) + 2 * hidden * ffn + ffn + hidden + 4 * hidden
    return layers * layer + words * hidden + 2 * hidden
