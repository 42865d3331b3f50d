"""Tiny random policies as Hugging Face folders, each with what bites in the real ones of its kind.

gpt2: learned positions, dropout, no padding token. qwen2: a chat template that opens `<think>`, two tokens that end a
completion, sampling defaults that bite. llama: every text begins with <s>.
"""

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    GenerationConfig,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
)

CHAT = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n"
    "{% if enable_thinking is defined and not enable_thinking %}\n</think>\n\n{% endif %}{% endif %}"
)


def tokenizer_of(specials, bos=None, **settings):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(special_tokens=specials, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(["How much is 3 + 1? It is 4."] * 3, trainer)
    if bos is not None:
        pair = [(bos, tokenizer.token_to_id(bos))]
        tokenizer.post_processor = processors.TemplateProcessing(single=f"{bos} $A", special_tokens=pair)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=bos, **settings)


def gpt2(folder):
    tokenizer = tokenizer_of(["<|endoftext|>"], eos_token="<|endoftext|>")
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 64}
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=len(tokenizer), eos_token_id=0, bos_token_id=0, initializer_range=0.2, **sizes)
    GPT2LMHeadModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def qwen2(folder):
    names = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    tokenizer = tokenizer_of(names, eos_token=names[2], pad_token=names[0], chat_template=CHAT)
    sizes = {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "intermediate_size": 64,
        "max_position_embeddings": 128,
    }
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1}
    torch.manual_seed(0)
    model = Qwen2ForCausalLM(Qwen2Config(vocab_size=len(tokenizer), tie_word_embeddings=True, **sizes, **heads))
    bite = {
        "top_k": 1,
        "top_p": 0.5,
        "temperature": 0.1,
        "repetition_penalty": 1.9,
        "no_repeat_ngram_size": 1,
    }
    model.generation_config = GenerationConfig(do_sample=True, eos_token_id=[2, 0], pad_token_id=0, **bite)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def llama(folder):
    tokenizer = tokenizer_of(["<s>", "</s>"], bos="<s>", eos_token="</s>")
    sizes = {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "intermediate_size": 64,
        "max_position_embeddings": 128,
    }
    torch.manual_seed(0)
    config = LlamaConfig(vocab_size=len(tokenizer), num_attention_heads=2, bos_token_id=0, eos_token_id=1, **sizes)
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


MAKE = {"gpt2": gpt2, "qwen2": qwen2, "llama": llama}
