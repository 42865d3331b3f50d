"""QLoRA: the weights under adapters, which do not learn, kept in 4 bits by bitsandbytes."""

from typing import TYPE_CHECKING, Any, Literal

from rewardlab import Config

if TYPE_CHECKING:
    from transformers import BitsAndBytesConfig


class Quantization(Config):
    """The quantization of the weights under adapters."""

    bits: Literal[4]
    """bits of a weight"""
    type: Literal["nf4", "fp4"] = "nf4"
    """the 16 values that a weight may have: those of a normal distribution, or floating-point numbers"""
    double: bool = True
    """quantize the scales of the weights, too: 0.4 bits a weight less"""


def bits_and_bytes(quantization: Quantization, bf16: bool) -> "BitsAndBytesConfig":
    """Return the settings as transformers has them; bf16: whether layers compute in it, else in fp32."""
    import torch
    from transformers import BitsAndBytesConfig

    return BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type=quantization.type,
        bnb_4bit_use_double_quant=quantization.double,
        bnb_4bit_compute_dtype=torch.bfloat16 if bf16 else torch.float32,
    )


def in_full_precision(model: Any) -> Any:
    """Return a model on the CPU in 32 bits, whose weights are the values that the 4 bits stand for."""
    import torch

    return model.to("cpu").dequantize(dtype=torch.float32)
