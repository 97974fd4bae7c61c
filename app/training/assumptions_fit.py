"""Constants of the verdict and of the layout search."""

from __future__ import annotations

from app.training.assumption import Assumption

PLAIN_WITHIN = Assumption(
    "plain_within",
    0.02,
    "share of the best rate",
    0.0,
    0.05,
    "assume: differences below the model's own error do not pay for a more complicated layout",
    "low",
)
PIPELINE_WORTH = Assumption(
    "pipeline_worth",
    0.10,
    "share of the rate",
    0.0,
    0.3,
    "assume: published pipeline rows sit near the best schedule (docs/throughput_model.md §2: a quarter of the textbook "
    "bubble), so a pipeline has to be this much faster than a layout without one to be chosen",
    "low",
)
LINK_WORTH = Assumption(
    "link_worth",
    0.75,
    "share of the best rate",
    0.5,
    0.95,
    "assume: a layout that waits little only because it computes slowly does not answer for the link",
    "low",
)
BUS_TENSOR_DEGREE = Assumption(
    "bus_tensor_degree",
    2.0,
    "accelerators",
    1.0,
    4.0,
    "docs/throughput_model.md §4: tensor parallel never leaves the NVLink domain; over PCIe at most 2",
)
LOAD_BYTES_PER_PARAMETER = Assumption(
    "load_bytes_per_parameter",
    2.0,
    "bytes of host memory",
    0.1,
    4.0,
    "assume: one rank of a sharded fine-tune holds the 16-bit checkpoint before it is broadcast "
    "(docs/throughput_model.md §8 saw 128 GB filled at load)",
)

VCPUS_PER_ACCELERATOR = Assumption(
    "vcpus_per_accelerator",
    4.0,
    "vCPU",
    2.0,
    8.0,
    "assume: docs/throughput_model.md §8, text",
    "low",
)
IMAGE_VCPUS_PER_ACCELERATOR = Assumption(
    "image_vcpus_per_accelerator",
    8.0,
    "vCPU",
    4.0,
    16.0,
    "assume: docs/throughput_model.md §8, vision",
    "low",
)
DISK_CHECKPOINTS = Assumption(
    "disk_checkpoints",
    3.0,
    "checkpoints",
    2.0,
    5.0,
    "assume: docs/throughput_model.md §8: three checkpoints and the data set",
    "low",
)

ASSUMPTIONS: tuple[Assumption, ...] = (
    PLAIN_WITHIN,
    PIPELINE_WORTH,
    LINK_WORTH,
    BUS_TENSOR_DEGREE,
    LOAD_BYTES_PER_PARAMETER,
    VCPUS_PER_ACCELERATOR,
    IMAGE_VCPUS_PER_ACCELERATOR,
    DISK_CHECKPOINTS,
)
