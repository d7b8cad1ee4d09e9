/**
 * Converts payloads and results to text that PostgreSQL stores: the codecs that come with the
 * queue, and the limits for the text of every codec. Public only so that the queue's other packages
 * can use it; not API. Contains no SQL.
 */
@NullMarked
package dev.skipjack.store.jooq.internal.payload;

import org.jspecify.annotations.NullMarked;
