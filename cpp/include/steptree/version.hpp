#pragma once

/// The version of the headers. The one place where it stands: CMake reads it from here.
#define STEPTREE_VERSION_MAJOR 0
#define STEPTREE_VERSION_MINOR 1
#define STEPTREE_VERSION_PATCH 0

/// To compare: 10203 is 1.2.3.
#define STEPTREE_VERSION \
    (STEPTREE_VERSION_MAJOR * 10000 + STEPTREE_VERSION_MINOR * 100 + STEPTREE_VERSION_PATCH)
