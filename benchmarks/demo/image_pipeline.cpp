// SPDX-License-Identifier: Apache-2.0
// Enhances the frames of a synthetic film: blur, histogram, equalization, sharpening, each a
// parallel loop over the rows of the image. One stage is serial, as is common in real programs:
// it computes the noise level of the frame as the median of the local contrasts, by sorting a
// sample of them. That stage is marked as a causal region.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <tp/causal.h>

namespace {

constexpr int kLevels = 256;
constexpr int kRadius = 4; // of the blur
using Histogram = std::array<std::uint32_t, kLevels>;
using Rows = tbb::blocked_range<int>;

struct Image {
  Image(int width, int height)
      : width(width), height(height), pixels(std::size_t(width) * height) {}
  // Beyond the border the nearest pixel is repeated.
  float at(int x, int y) const {
    return pixels[std::size_t(std::clamp(y, 0, height - 1)) * width + std::clamp(x, 0, width - 1)];
  }
  float& operator()(int x, int y) { return pixels[std::size_t(y) * width + x]; }
  int width, height;
  std::vector<float> pixels;
};

int level(float pixel) {
  return std::clamp(static_cast<int>(pixel * kLevels), 0, kLevels - 1);
}

// Draws a scene with soft shapes and noise; it is the same on every machine.
void draw_frame(Image& image, int frame) {
  tbb::parallel_for(Rows(0, image.height), [&](const Rows& rows) {
    for (int y = rows.begin(); y != rows.end(); ++y) {
      std::uint32_t noise = 2654435761u * (y + 1) + frame;
      for (int x = 0; x < image.width; ++x) {
        noise = noise * 1664525u + 1013904223u;
        const float shape = 0.3f + 0.2f * std::sin(x * 0.01f + frame) * std::cos(y * 0.013f);
        image(x, y) = shape + 0.1f * (noise >> 8) / float(1 << 24);
      }
    }
  });
}

void blur(const Image& in, Image& across, Image& out) {
  constexpr float scale = 1.0f / (2 * kRadius + 1);
  tbb::parallel_for(Rows(0, in.height), [&](const Rows& rows) {
    for (int y = rows.begin(); y != rows.end(); ++y)
      for (int x = 0; x < in.width; ++x) {
        float sum = 0;
        for (int i = -kRadius; i <= kRadius; ++i)
          sum += in.at(x + i, y);
        across(x, y) = sum * scale;
      }
  });
  tbb::parallel_for(Rows(0, in.height), [&](const Rows& rows) {
    for (int y = rows.begin(); y != rows.end(); ++y)
      for (int x = 0; x < in.width; ++x) {
        float sum = 0;
        for (int i = -kRadius; i <= kRadius; ++i)
          sum += across.at(x, y + i);
        out(x, y) = sum * scale;
      }
  });
}

// The planted bottleneck: the median of the local contrasts of every eighth pixel, by one serial
// sort.
float noise_level(const Image& image, const Image& blurred, std::vector<float>& contrasts) {
  tp::CausalRegion region{"noise_level"};
  for (std::size_t i = 0; i < contrasts.size(); ++i)
    contrasts[i] = std::fabs(image.pixels[8 * i] - blurred.pixels[8 * i]);
  std::sort(contrasts.begin(), contrasts.end());
  return contrasts[contrasts.size() / 2];
}

Histogram histogram_of(const Image& image) {
  return tbb::parallel_reduce(
      Rows(0, image.height), Histogram{},
      [&](const Rows& rows, Histogram counts) {
        for (int y = rows.begin(); y != rows.end(); ++y)
          for (int x = 0; x < image.width; ++x)
            ++counts[level(image.at(x, y))];
        return counts;
      },
      [](Histogram a, const Histogram& b) {
        for (int i = 0; i < kLevels; ++i)
          a[i] += b[i];
        return a;
      });
}

// Sharpens where the contrast exceeds the noise, then maps the gray levels so that all are used
// equally often.
void equalize(const Image& in, const Image& blurred, float noise, const Histogram& histogram,
              Image& out) {
  std::array<float, kLevels> map{};
  std::uint64_t below = 0;
  for (int i = 0; i < kLevels; ++i)
    map[i] = float(below += histogram[i]) / in.pixels.size();
  tbb::parallel_for(Rows(0, in.height), [&](const Rows& rows) {
    for (int y = rows.begin(); y != rows.end(); ++y)
      for (int x = 0; x < in.width; ++x) {
        const float contrast = in.at(x, y) - blurred.at(x, y);
        const float weight = contrast * contrast / (contrast * contrast + noise * noise + 1e-9f);
        out(x, y) = std::sqrt(map[level(blurred.at(x, y) + 2 * weight * contrast)]);
      }
  });
}

double mean_of(const Image& image) {
  const double sum = tbb::parallel_reduce(
      Rows(0, image.height), 0.0,
      [&](const Rows& rows, double partial) {
        for (int y = rows.begin(); y != rows.end(); ++y)
          for (int x = 0; x < image.width; ++x)
            partial += image.at(x, y);
        return partial;
      },
      [](double a, double b) { return a + b; });
  return sum / image.pixels.size();
}

} // namespace

int main(int argc, char** argv) {
  const int frames = argc > 1 ? std::atoi(argv[1]) : 60;
  Image image(1280, 720), across = image, blurred = image, result = image;
  std::vector<float> contrasts(image.pixels.size() / 8);
  double mean = 0;
  for (int frame = 0; frame < frames; ++frame) {
    draw_frame(image, frame);
    blur(image, across, blurred);
    const float noise = noise_level(image, blurred, contrasts);
    const Histogram histogram = histogram_of(blurred);
    equalize(image, blurred, noise, histogram, result);
    mean += mean_of(result);
  }
  std::printf("%d frames, mean brightness %.4f\n", frames, frames ? mean / frames : 0.0);
}
