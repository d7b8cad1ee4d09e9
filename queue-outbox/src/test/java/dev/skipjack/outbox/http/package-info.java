@NullMarked
package dev.skipjack.outbox.http;

import org.jspecify.annotations.NullMarked;
