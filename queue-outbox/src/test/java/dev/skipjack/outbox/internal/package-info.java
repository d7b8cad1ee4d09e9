@NullMarked
package dev.skipjack.outbox.internal;

import org.jspecify.annotations.NullMarked;
