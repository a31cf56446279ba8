"""Lets the families write `rng.choice([a(rng), b(rng)])` and pay only for what is chosen.

Their modules are read as if each element stood in a function of its own, of which one is called. That makes ten times as many
sequences a second; what they draw is a matter of luck anyway.
"""
import ast
import os
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import spec_from_file_location

HERE = os.path.dirname(os.path.abspath(__file__))


class Choices(ast.NodeTransformer):
    def visit_Call(self, node):
        self.generic_visit(node)
        if not (isinstance(node.func, ast.Attribute) and node.func.attr == "choice" and len(node.args) == 1):
            return node
        elements = getattr(node.args[0], "elts", [])
        works = any(isinstance(inner, ast.Call) for element in elements for inner in ast.walk(element))
        if not works or any(isinstance(element, ast.Starred) for element in elements):
            return node
        nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        node.args[0].elts = [ast.Lambda(nothing, element) for element in elements]
        return ast.Call(node, [], [])


class Loader(SourceFileLoader):
    def path_stats(self, path):
        raise OSError("no bytecode is kept, nor taken")

    def source_to_code(self, data, path, *, _optimize=-1):
        tree = ast.fix_missing_locations(Choices().visit(ast.parse(data, path)))
        return compile(tree, path, "exec", dont_inherit=True, optimize=_optimize)


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if not name.startswith("families."):
            return None
        file = os.path.join(HERE, *name.split(".")) + ".py"
        return spec_from_file_location(name, file, loader=Loader(name, file)) if os.path.exists(file) else None


sys.meta_path.insert(0, Finder)
