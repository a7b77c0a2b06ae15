"""The words that kernels and pairs share: one vocabulary, checked by the database."""

from django.db import models


class Status(models.TextChoices):
    """Where an item stands: the consequence of its newest decision, never a second flag."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    RETIRED = "retired"


class OperationType(models.TextChoices):
    """What an item computes, in the dataset's own words."""

    ELEMENT_WISE = "element-wise"
    REDUCTION = "reduction"
    NORMALIZATION = "normalization"
    SOFTMAX = "softmax"
    MATMUL = "matmul"
    ATTENTION = "attention"
    CONVOLUTION = "convolution"
    SCAN = "scan"
    SORT = "sort"
    GATHER_SCATTER = "gather-scatter"
    QUANTIZATION = "quantization"
    LOSS = "loss"
    OPTIMIZER = "optimizer"
    RANDOM = "random"
    OTHER = "other"


class Difficulty(models.TextChoices):
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class Hardware(models.TextChoices):
    """The accelerator that a text is written for. A text that names none is for `cuda`."""

    CUDA = "cuda", "NVIDIA (CUDA)"
    HIP = "hip", "AMD (HIP)"
    XPU = "xpu", "Intel (XPU)"
    ASCEND = "ascend", "Huawei Ascend"
    CAMBRICON = "cambricon", "Cambricon"
    KUNLUNXIN = "kunlunxin", "Kunlunxin"
    ILUVATAR = "iluvatar", "Iluvatar"
    METAX = "metax", "MetaX"
    MTHREADS = "mthreads", "Moore Threads"
    ENFLAME = "enflame", "Enflame"
    TPU = "tpu", "Google TPU"
    CPU = "cpu", "CPU"


class LicenseVerdict(models.TextChoices):
    """May it be given away? Only `permissive` may."""

    PERMISSIVE = "permissive"
    BLOCKED = "blocked"
    UNKNOWN = "unknown"
    CONFLICT = "conflict"


class Action(models.TextChoices):
    """What a quality gate does with an item that fails it."""

    BLOCK = "block"
    WARN = "warn"
    NOTE = "note"
