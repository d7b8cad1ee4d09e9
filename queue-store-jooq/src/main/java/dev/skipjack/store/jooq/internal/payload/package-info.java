/**
 * How payloads and results become text that PostgreSQL stores: the codecs that come with the queue,
 * and the limits that every codec's text must keep. Public only so that the queue's other packages
 * can use it; not API. Knows no SQL.
 */
@NullMarked
package dev.skipjack.store.jooq.internal.payload;

import org.jspecify.annotations.NullMarked;
