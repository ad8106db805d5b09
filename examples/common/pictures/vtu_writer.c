// VTK's XML unstructured grid with appended base64 data: each array is a 64-bit byte count and
// little-endian values, encoded together, at the offset that its element names.
// SPDX-License-Identifier: MIT

#include "common/pictures/vtu_writer.h"

#include <string.h>

struct writer {
    struct text_buffer head;
    struct text_buffer data;
    struct text_buffer bytes; ///< of one array, before base64
};

static void put_bits(struct writer *out, uint64_t bits, size_t size) {
    unsigned char bytes[8];
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(bits >> 8 * i);
    }
    text_buffer_add_bytes(&out->bytes, bytes, size);
}

static void put_double(struct writer *out, double value) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    put_bits(out, bits, 8);
}

static void open_array(struct writer *out, const char *type, const char *name, size_t components,
                       size_t size) {
    text_buffer_add(&out->head, "        <DataArray type=\"");
    text_buffer_add(&out->head, type);
    text_buffer_add(&out->head, "\" Name=\"");
    text_buffer_add(&out->head, name);
    text_buffer_print(&out->head,
                      "\" NumberOfComponents=\"%zu\" format=\"appended\" offset=\"%zu\"/>\n",
                      components, out->data.length);
    out->bytes.length = 0;
    put_bits(out, size, 8);
}

static void close_array(struct writer *out) {
    out->data.failed = out->data.failed || out->bytes.failed;
    text_buffer_add_base64(&out->data, out->bytes.data, out->bytes.length);
}

static void put_doubles(struct writer *out, const char *name, size_t components,
                        const double *values, size_t count) {
    open_array(out, "Float64", name, components, 8 * count);
    for (size_t i = 0; i < count; i++) {
        put_double(out, values[i]);
    }
    close_array(out);
}

static void put_fields(struct writer *out, const struct vtu_field *fields, size_t field_count,
                       bool per_cell, size_t count) {
    text_buffer_add(&out->head, per_cell ? "      <CellData>\n" : "      <PointData>\n");
    for (size_t f = 0; f < field_count; f++) {
        if (fields[f].per_cell == per_cell) {
            put_doubles(out, fields[f].name, fields[f].components, fields[f].values,
                        count * fields[f].components);
        }
    }
    text_buffer_add(&out->head, per_cell ? "      </CellData>\n" : "      </PointData>\n");
}

static void put_cells(struct writer *out, const uint32_t *corners, size_t cell_count,
                      size_t per_cell) {
    text_buffer_add(&out->head, "      <Cells>\n");
    open_array(out, "Int64", "connectivity", 1, 8 * per_cell * cell_count);
    for (size_t i = 0; i < per_cell * cell_count; i++) {
        put_bits(out, corners[i], 8);
    }
    close_array(out);
    open_array(out, "Int64", "offsets", 1, 8 * cell_count);
    for (size_t c = 0; c < cell_count; c++) {
        put_bits(out, per_cell * (c + 1), 8);
    }
    close_array(out);
    open_array(out, "UInt8", "types", 1, cell_count);
    for (size_t c = 0; c < cell_count; c++) {
        put_bits(out, per_cell == 4 ? 10 : 5, 1);
    }
    close_array(out);
    text_buffer_add(&out->head, "      </Cells>\n");
}

bool vtu_write(const char *path, const struct vtu_grid *grid, const struct vtu_field *fields,
               size_t field_count, struct message *message) {
    struct writer out = {0};
    bool solid = grid->tet_count > 0;
    size_t cells = solid ? grid->tet_count : grid->triangle_count;
    text_buffer_add(&out.head, "<?xml version=\"1.0\"?>\n"
                               "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                               "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
                               "  <UnstructuredGrid>\n");
    text_buffer_print(&out.head, "    <Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n",
                      grid->vertex_count, cells);
    put_fields(&out, fields, field_count, false, grid->vertex_count);
    put_fields(&out, fields, field_count, true, cells);
    text_buffer_add(&out.head, "      <Points>\n");
    put_doubles(&out, "Points", 3, grid->positions, 3 * grid->vertex_count);
    text_buffer_add(&out.head, "      </Points>\n");
    put_cells(&out, solid ? grid->tets : grid->triangles, cells, solid ? 4 : 3);
    text_buffer_add(&out.head, "    </Piece>\n  </UnstructuredGrid>\n"
                               "  <AppendedData encoding=\"base64\">\n   _");
    text_buffer_add_bytes(&out.head, out.data.data, out.data.length);
    text_buffer_add(&out.head, "\n  </AppendedData>\n</VTKFile>\n");
    out.head.failed = out.head.failed || out.data.failed;
    bool done = text_buffer_write(&out.head, path, message);
    text_buffer_free(&out.head);
    text_buffer_free(&out.data);
    text_buffer_free(&out.bytes);
    return done;
}

bool pvd_write(const char *path, const char *file_prefix, size_t frame_count, double frame_duration,
               struct message *message) {
    struct text_buffer text = {0};
    text_buffer_add(&text,
                    "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n"
                    "  <Collection>\n");
    for (size_t f = 0; f < frame_count; f++) {
        text_buffer_print(&text, "    <DataSet timestep=\"%.12g\" file=\"",
                          (double)f * frame_duration);
        text_buffer_add(&text, file_prefix);
        text_buffer_print(&text, "_%04zu.vtu\"/>\n", f);
    }
    text_buffer_add(&text, "  </Collection>\n</VTKFile>\n");
    bool done = text_buffer_write(&text, path, message);
    text_buffer_free(&text);
    return done;
}
