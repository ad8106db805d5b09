// PNG files, and the deflate that pages use (zlib wrapped), through Debian's stb_image_write.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_PNG_H
#define PBS_COMMON_PNG_H

#include "common/program/text.h"

/// Red, green, blue bytes, top row first: pixels[height * width * 3].
struct image {
    size_t width;
    size_t height;
    unsigned char *pixels;
};

bool image_create(struct image *image, size_t width, size_t height);
void image_free(struct image *image);

/// A PNG in memory, to be freed with free(); null when memory ran out.
unsigned char *png_encode(const struct image *image, size_t *size);
bool png_write(const char *path, const struct image *image, struct message *message);
/// zlib stream of the bytes, to be freed with free(); null when memory ran out.
unsigned char *deflate_encode(const void *bytes, size_t size, size_t *compressed_size);

#endif
