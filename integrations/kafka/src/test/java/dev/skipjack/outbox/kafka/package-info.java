/** Tests of the publisher, most of which use a broker inside the JVM. */
@NullMarked
package dev.skipjack.outbox.kafka;

import org.jspecify.annotations.NullMarked;
