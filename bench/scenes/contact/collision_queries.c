// Reads and evaluates collision queries.
// SPDX-License-Identifier: MIT
#include "scenes/contact/collision_queries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix3/math3.h"

const struct collision_query_file collision_query_files[COLLISION_QUERY_FILES] = {
    {"unit_tests", 0.59, 324, 160},
    {"handcrafted_erleben", 0.70, 6955, 275},
    {"sim_armadillo-rollers", 0.79, 3000, 2993},
    {"sim_cloth-ball", 0.85, 4000, 3995},
    {"sim_cloth-funnel", 0.78, 355, 134},
    {"sim_rod-twist", 0.84, 5171, 4944},
};

enum { WORDS = 28 };

static size_t split(char *line, char *words[WORDS]) {
    size_t count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t\r\n", &rest); word != NULL;
         word = strtok_r(NULL, " \t\r\n", &rest)) {
        if (count < WORDS) {
            words[count] = word;
        }
        count++;
    }
    return count;
}

static bool read_number(const char *word, double *value) {
    if (strcmp(word, "nan") == 0) {
        *value = (double)NAN;
        return true;
    }
    return text_parse_double(word, strlen(word), value);
}

static bool read_query(char *words[WORDS], struct collision_query *query) {
    const bool is_edges = strcmp(words[0], "ee") == 0;
    if (!is_edges && strcmp(words[0], "vf") != 0) {
        return false;
    }
    query->kind = is_edges ? PAIR_EDGE_EDGE : PAIR_POINT_TRIANGLE;
    query->hit = strcmp(words[1], "1") == 0;
    bool ok = read_number(words[2], &query->toi);
    for (int i = 0; i < 12; i++) {
        double end = 0.0;
        ok = ok && read_number(words[4 + i], &query->x[i / 3][i % 3]) &&
             read_number(words[16 + i], &end);
        query->dx[i / 3][i % 3] = end - query->x[i / 3][i % 3];
    }
    return ok;
}

static bool add_query(struct collision_queries *queries, const struct collision_query *query) {
    // The capacity is doubled at each power of two.
    if ((queries->count & (queries->count - 1)) == 0) {
        const size_t room = queries->count == 0 ? 1 : 2 * queries->count;
        struct collision_query *grown = realloc(queries->query, room * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        queries->query = grown;
    }
    queries->query[queries->count++] = *query;
    return true;
}

static bool read_lines(FILE *file, const char *path, struct collision_queries *out,
                       struct message *message) {
    char line[4096];
    for (size_t number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        char *words[WORDS] = {NULL};
        struct collision_query query;
        const size_t count = line[0] == '#' ? 0 : split(line, words);
        if (count == 0) {
            continue;
        }
        if (count != WORDS || !read_query(words, &query)) {
            return message_fail(message, "%s:%zu: expected a query of %d words, found %zu", path,
                                number, WORDS, count);
        }
        if (!add_query(out, &query)) {
            return message_fail(message, "%s: out of memory after %zu queries", path, out->count);
        }
    }
    return true;
}

bool collision_queries_read(const char *path, struct collision_queries *out,
                            struct message *message) {
    *out = (struct collision_queries){0};
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return message_fail(message, "%s: cannot be read", path);
    }
    const bool ok = read_lines(file, path, out, message);
    fclose(file);
    if (!ok) {
        collision_queries_free(out);
    }
    return ok;
}

void collision_queries_free(struct collision_queries *queries) {
    free(queries->query);
    *queries = (struct collision_queries){0};
}

double collision_query_answer(const struct collision_query *query,
                              struct collision_statistics *statistics) {
    const double *const x[4] = {query->x[0], query->x[1], query->x[2], query->x[3]};
    const double *const dx[4] = {query->dx[0], query->dx[1], query->dx[2], query->dx[3]};
    return collision_free_time(query->kind, x, dx,
                               &(struct collision_limits){0.0, INFINITY, 1.0, INFINITY, 0.0},
                               statistics);
}

static double gap_at(const struct collision_query *query, double t) {
    double moved[4][3];
    const double *const x[4] = {moved[0], moved[1], moved[2], moved[3]};
    for (int i = 0; i < 4; i++) {
        add_scaled3(query->x[i], t, query->dx[i], moved[i]);
    }
    return sqrt(closest_squared(query->kind, x));
}

struct collision_score collision_queries_score(const struct collision_queries *queries) {
    struct collision_score score = {0};
    for (size_t i = 0; i < queries->count; i++) {
        const struct collision_query *query = queries->query + i;
        const double t = collision_query_answer(query, &score.statistics);
        score.hits += query->hit;
        // An impact at time 1 may be answered by 1.
        score.missed += query->hit && t >= 1.0 && !(query->toi >= 1.0);
        score.late += query->hit && t > query->toi * (1.0 + 1e-12);
        score.false_positives += !query->hit && t < 1.0;
        score.too_close += gap_at(query, t) < COLLISION_GAP_FRACTION * gap_at(query, 0.0);
        if (query->hit && query->toi > 0.0) {
            score.ratio += t / query->toi;
            score.timed++;
        }
    }
    score.ratio = score.timed > 0 ? score.ratio / (double)score.timed : 1.0;
    return score;
}
