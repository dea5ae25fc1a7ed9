// Containers of the core: Boost.Container over a memory resource that the caller hands in.
//
// A container never outlives its resource.
#pragma once

#include <cstddef>
#include <functional>
#include <memory_resource>
#include <ranges>
#include <span>
#include <utility>

#include <boost/container/flat_map.hpp>
#include <boost/container/static_vector.hpp>
#include <boost/container/vector.hpp>

namespace awa::core {

using Memory = std::pmr::memory_resource;

// A vector that always names its memory, and is a span where a span is wanted. It moves and does not copy: a copy would
// silently allocate from the default resource.
template <typename T>
class Vec : public boost::container::vector<T, std::pmr::polymorphic_allocator<T>> {
  using Base = boost::container::vector<T, std::pmr::polymorphic_allocator<T>>;

 public:
  explicit Vec(Memory &memory) noexcept : Base(&memory) {}
  Vec(std::span<const T> elements, Memory &memory) : Base(elements.begin(), elements.end(), &memory) {}
  Vec(Vec &&) noexcept = default;
  // NOLINTNEXTLINE(bugprone-exception-escape): it says that it may throw
  Vec &operator=(Vec &&) noexcept(false) = default;  // keeps its own memory, so it may have to copy elements

  // Newer Boosts say of their iterators that they are contiguous, and std::span takes such a vector as it is.
  operator std::span<const T>() const noexcept requires(!std::ranges::contiguous_range<Base>) {
    return {this->data(), this->size()};
  }
  operator std::span<T>() noexcept requires(!std::ranges::contiguous_range<Base>) {
    return {this->data(), this->size()};
  }
};

// Not to be copied either.
template <typename Key, typename Value>
using FlatMap =
    boost::container::flat_map<Key, Value, std::less<Key>, std::pmr::polymorphic_allocator<std::pair<Key, Value>>>;

template <typename T, std::size_t Capacity>
using StaticVec = boost::container::static_vector<T, Capacity>;

}  // namespace awa::core
