"""Published footprints of models whose structure is not counted: values kept for the backward pass per sample.

A convolution keeps its input and the input of its norm: two values per activation that the network computes
(checked: ResNet-50 at batch 928 in AMP in 48 GB, detection rows of mmdetection). Activation counts per image are
those of torchvision and fvcore.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.model import ModelShape

KEPT_PER_ACTIVATION = 2.0
DETECTION_PIXELS = 1333 * 800 / 224**2
CHECKPOINTED_SHARE = 0.3

# Activations per image of 224 × 224, in values.
BACKBONES: Mapping[str, float] = {
    "x-101-64": 31.0e6,
    "x-101": 21.2e6,
    "resnext-101": 21.2e6,
    "r-101": 16.2e6,
    "resnet-101": 16.2e6,
    "resnet-152": 22.6e6,
    "r-50": 11.1e6,
    "resnet-50": 11.1e6,
    "resnet-18": 2.5e6,
    "resnet-34": 3.7e6,
    "efficientnet-b0": 6.7e6,
    "convnext-b": 28.8e6,
}
# Values kept per image at the usual resolution. Stable Diffusion 1.5 at 512 px: DreamBooth rows on a T4.
WHOLE: Mapping[str, float] = {"sd-1.5": 1.6e9, "stable diffusion": 1.6e9, "sdxl": 6.4e9}
DETECTORS = ("r-cnn", "rcnn", "retinanet", "mask", "fcos", "cascade")


def kept_values(shape: ModelShape) -> float:
    """Values kept for the backward pass per sample; 0 where nothing was published."""
    name = f"{shape.key} {shape.name}".lower()
    whole = next((values for word, values in WHOLE.items() if word in name), 0.0)
    if whole:
        return whole
    activations = next((values for word, values in BACKBONES.items() if word in name), 0.0)
    if any(word in name for word in DETECTORS):
        return KEPT_PER_ACTIVATION * DETECTION_PIXELS * activations
    return KEPT_PER_ACTIVATION * activations
