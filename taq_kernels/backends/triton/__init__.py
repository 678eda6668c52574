"""Attention and convolution as Triton kernels."""
