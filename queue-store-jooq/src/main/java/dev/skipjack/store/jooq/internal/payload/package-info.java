/**
 * Converts payloads and results to text that PostgreSQL stores. The package contains the codecs
 * that come with the queue, and the limits that apply to every codec. Public only so that the
 * queue's other packages can use it; not part of the API. Contains no SQL.
 */
@NullMarked
package dev.skipjack.store.jooq.internal.payload;

import org.jspecify.annotations.NullMarked;
