"""The recipe of Conan 2: of a clone, or of its tarball, `conan create packaging/conan`."""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir
from conan.tools.scm import Version

required_conan_version = ">=2.4"

# Older ones lack what C++20 has.
OLDEST = {"gcc": "12", "clang": "14", "apple-clang": "15", "msvc": "193"}


class SteptreeConan(ConanFile):
    name = "steptree"
    description = "AsyncSteps runtime: business logic as a tree of small steps"
    license = "Apache-2.0"
    topics = ("async", "cancellation", "timeout", "structured-concurrency", "event-loop")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "fPIC": [True, False],
        "c": [True, False],
        "pool": [True, False],
    }
    default_options = {"shared": False, "fPIC": True, "c": True, "pool": False}
    options_description = {
        "c": "The component c: the C interface, plug-ins and their host",
        "pool": "The component pool: the thread pool, with the package concurrentqueue inside",
    }
    implements = ["auto_shared_fpic"]

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._root, "cpp/include/steptree/version.hpp"))
        numbers = re.findall(r"^#define STEPTREE_VERSION_[A-Z]+ (\d+)$", header, re.MULTILINE)
        self.version = ".".join(numbers)

    def export_sources(self):
        for pattern in (
            "CMakeLists.txt",
            "LICENSE",
            "README.md",
            "CHANGELOG.md",
            "SECURITY.md",
            "docs/*.md",
            "spec/*.md",
            "spec/*.json",
            *(f"cpp/{name}/*" for name in ("include", "src", "cabi", "pool", "cmake", "gdb")),
            "cpp/CMakeLists.txt",
        ):
            copy(self, pattern, src=self._root, dst=self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        if self.options.pool:
            self.requires("concurrentqueue/[>=1.0.3 <2]", visible=False)

    def validate(self):
        check_min_cppstd(self, 20)
        oldest = OLDEST.get(str(self.settings.compiler))
        if oldest and Version(self.settings.compiler.version) < oldest:
            raise ConanInvalidConfiguration(f"{self.settings.compiler} {oldest} or newer")

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["STEPTREE_BUILD_TESTS"] = False
        toolchain.cache_variables["STEPTREE_BUILD_EXAMPLES"] = False
        toolchain.cache_variables["STEPTREE_BUILD_INSPECTOR"] = "OFF"
        toolchain.cache_variables["STEPTREE_BUILD_REDIS"] = "OFF"
        toolchain.cache_variables["STEPTREE_BUILD_POOL"] = bool(self.options.pool)
        toolchain.cache_variables["STEPTREE_BUILD_C"] = bool(self.options.c)
        toolchain.cache_variables["STEPTREE_UNITY"] = True
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        # Conan writes them itself, for each configuration.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "steptree")
        core = self.cpp_info.components["steptree"]
        core.set_property("cmake_target_name", "steptree::steptree")
        core.set_property("pkg_config_name", "steptree")
        core.libs = ["steptree"]
        if self.settings.os in ("Linux", "FreeBSD"):
            core.system_libs = ["pthread"]
        interface = self.cpp_info.components["interface"]
        interface.set_property("cmake_target_name", "steptree::interface")
        interface.libs, interface.libdirs = [], []
        for name in ("c", "pool"):
            if self.options.get_safe(name):
                component = self.cpp_info.components[name]
                component.set_property("cmake_target_name", f"steptree::{name}")
                component.set_property("pkg_config_name", f"steptree-{name}")
                component.libs = [f"steptree-{name}"]
                component.requires = ["steptree"]
        if self.options.c and self.settings.os == "Linux":
            self.cpp_info.components["c"].system_libs = ["dl"]
        if self.options.pool:
            self.cpp_info.components["pool"].requires.append("concurrentqueue::concurrentqueue")
