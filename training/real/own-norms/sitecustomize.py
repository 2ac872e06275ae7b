"""Lets SGLang take the norms that sgl_kernel brings compiled. Where FlashInfer is installed, sgl_kernel prefers FlashInfer's,
which nvcc compiles in the first forward pass; nothing in its settings says otherwise."""

import importlib.abc
import importlib.machinery
import sys


class OwnNorms(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != 'sgl_kernel.elementwise':
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                module._has_flashinfer = False

            spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, OwnNorms())
