// Text of the HTML page, in the order in which html_writer.c puts it together around the data.
// SPDX-License-Identifier: MIT

#ifndef PBS_COMMON_VIEWER_PAGE_H
#define PBS_COMMON_VIEWER_PAGE_H

#include <stddef.h>

extern const char *const viewer_head[];   ///< up to the data, ends in null
extern const char *const viewer_script[]; ///< after the data, ends in null

#endif
