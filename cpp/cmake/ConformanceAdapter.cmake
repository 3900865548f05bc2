steptree_require(nlohmann_json nlohmann-json3-dev)

# What runs a case; the programs around it differ in where the cases come from, and what goes wrong.
file(GLOB case_sources CONFIGURE_DEPENDS conformance/*.cpp)
list(FILTER case_sources EXCLUDE REGEX /adapter\\.cpp$)
add_library(steptree-cases OBJECT ${case_sources})
target_include_directories(steptree-cases PUBLIC conformance)
target_link_libraries(steptree-cases PUBLIC steptree nlohmann_json::nlohmann_json)
steptree_strict(steptree-cases)
steptree_unity(steptree-cases)

add_executable(steptree-conformance conformance/adapter.cpp)
target_link_libraries(steptree-conformance PRIVATE steptree-cases)
steptree_strict(steptree-conformance)

file(GLOB fault_sources CONFIGURE_DEPENDS faults/*.cpp)
# Only the deep tests run it.
add_executable(steptree-faults EXCLUDE_FROM_ALL ${fault_sources} test/allocations.cpp)
target_include_directories(steptree-faults PRIVATE test)
target_link_libraries(steptree-faults PRIVATE steptree-cases)
steptree_strict(steptree-faults)
