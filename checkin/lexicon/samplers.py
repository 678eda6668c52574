"""Samplers and schedulers: the host's names, and what other programs call them."""

from __future__ import annotations

import re

# The host's name -> how A1111, Civitai and other programs call it, separated by "|". Letter case,
# "_" and "-" make no difference, and "DPM++" is "DPMPP".
_SAMPLERS = {
    "euler": "euler beta",
    "euler_cfg_pp": "euler cfg++",
    "euler_ancestral": "euler a|k euler a",
    "euler_ancestral_cfg_pp": "euler a cfg++|euler ancestral cfg++",
    "heun": "",
    "heunpp2": "heun++",
    "dpm_2": "dpm2|dpm 2|k dpm 2",
    "dpm_2_ancestral": "dpm2 a|dpm 2 a|dpm2 ancestral|k dpm 2 a",
    "lms": "k lms|plms",
    "dpm_fast": "",
    "dpm_adaptive": "",
    "dpmpp_2s_ancestral": "dpm++ 2s a|k dpmpp 2s a",
    "dpmpp_2s_ancestral_cfg_pp": "dpm++ 2s a cfg++",
    "dpmpp_sde": "k dpmpp sde",
    "dpmpp_sde_gpu": "",
    "dpmpp_2m": "k dpmpp 2m|dpm++ 2m v2",
    "dpmpp_2m_cfg_pp": "dpm++ 2m cfg++",
    "dpmpp_2m_sde": "",
    "dpmpp_2m_sde_gpu": "",
    "dpmpp_2m_sde_heun": "",
    "dpmpp_2m_sde_heun_gpu": "",
    "dpmpp_3m_sde": "",
    "dpmpp_3m_sde_gpu": "",
    "ddpm": "",
    "lcm": "",
    "ipndm": "",
    "ipndm_v": "",
    "deis": "",
    "res_multistep": "",
    "res_multistep_cfg_pp": "",
    "res_multistep_ancestral": "",
    "gradient_estimation": "",
    "er_sde": "",
    "seeds_2": "",
    "seeds_3": "",
    "sa_solver": "",
    "ddim": "ddim cfg++",
    "uni_pc": "unipc",
    "uni_pc_bh2": "unipc bh2",
}
_SCHEDULERS = {
    "simple": "",
    "sgm_uniform": "",
    "karras": "",
    "exponential": "polyexponential",
    "ddim_uniform": "ddim",
    "beta": "",
    "normal": "uniform",
    "linear_quadratic": "",
    "kl_optimal": "",
}


def _key(name: str) -> str:
    return " ".join(re.sub(r"[\s_-]+", " ", name.casefold().replace("++", "pp")).split())


def _table(names: dict[str, str]) -> dict[str, str]:
    """Each spelling, as a key -> the host's name."""
    called = {host: [host, *others.split("|")] for host, others in names.items()}
    return {_key(one): host for host, all_of in called.items() for one in all_of if one}


SAMPLERS = _table(_SAMPLERS)
SCHEDULERS = _table(_SCHEDULERS)
_LONGEST = sorted(SCHEDULERS, key=len, reverse=True)


def sampler_and_scheduler(name: object) -> tuple[str | None, str | None]:
    """The host's names for a sampler and the scheduler after it: "DPM++ 2M Karras" is
    ("dpmpp_2m", "karras"), "Euler a" is ("euler_ancestral", None).

    None for what is not known.
    """
    key = _key(str(name)[:100])
    if key in SAMPLERS:
        return SAMPLERS[key], None
    for last in _LONGEST:
        before = key.removesuffix(last).rstrip()
        if before != key and before in SAMPLERS:
            return SAMPLERS[before], SCHEDULERS[last]
    return None, None


def scheduler(name: object) -> str | None:
    """The host's name for a scheduler: "SGM Uniform" is "sgm_uniform"; None for an unknown one."""
    return SCHEDULERS.get(_key(str(name)[:100]))
