// PNG and zlib streams, by Debian's stb_image_write; nothing of it is seen outside of this file.
// SPDX-License-Identifier: MIT

#include "common/images/png.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#endif
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb/stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

bool image_create(struct image *image, size_t width, size_t height) {
    *image = (struct image){0};
    if (width == 0 || height == 0 || width > 16384 || height > 16384) {
        return false;
    }
    image->pixels = calloc(width * height, 3);
    image->width = image->pixels != NULL ? width : 0;
    image->height = image->pixels != NULL ? height : 0;
    return image->pixels != NULL;
}

void image_free(struct image *image) {
    free(image->pixels);
    *image = (struct image){0};
}

unsigned char *png_encode(const struct image *image, size_t *size) {
    int length = 0;
    unsigned char *bytes = stbi_write_png_to_mem(image->pixels, (int)(3 * image->width),
                                                 (int)image->width, (int)image->height, 3, &length);
    *size = bytes != NULL ? (size_t)length : 0;
    return bytes;
}

bool png_write(const char *path, const struct image *image, struct message *message) {
    size_t size = 0;
    unsigned char *bytes = png_encode(image, &size);
    struct text_buffer buffer = {0};
    text_buffer_add_bytes(&buffer, bytes, size);
    buffer.failed = buffer.failed || bytes == NULL;
    bool done = text_buffer_write(&buffer, path, message);
    text_buffer_free(&buffer);
    free(bytes);
    return done;
}

unsigned char *deflate_encode(const void *bytes, size_t size, size_t *compressed_size) {
    *compressed_size = 0;
    if (size > INT_MAX / 2) {
        return NULL;
    }
    // stb takes a pointer to what it does not change.
    void *input = NULL;
    memcpy(&input, &bytes, sizeof input);
    int length = 0;
    unsigned char *out = stbi_zlib_compress(input, (int)size, &length, 8);
    *compressed_size = out != NULL ? (size_t)length : 0;
    return out;
}
