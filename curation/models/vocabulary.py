"""Vocabulary that kernels and pairs share. Database constraints enforce it."""

from django.db import models


class Status(models.TextChoices):
    """Review status of an item. It is always the result of the newest decision."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    RETIRED = "retired"


class OperationType(models.TextChoices):
    """Type of the operation that an item computes, in the vocabulary of the dataset."""

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
    """Accelerator that a text targets. A text that mentions no accelerator targets `cuda`."""

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
    """Permission to distribute an item. Only `permissive` allows it."""

    PERMISSIVE = "permissive"
    BLOCKED = "blocked"
    UNKNOWN = "unknown"
    CONFLICT = "conflict"


class Action(models.TextChoices):
    """Effect of a failed quality gate."""

    BLOCK = "block"
    WARN = "warn"
    NOTE = "note"
