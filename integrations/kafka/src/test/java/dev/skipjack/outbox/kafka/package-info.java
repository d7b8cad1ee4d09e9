/** Tests of the publisher, most of them with a broker inside the JVM. */
@NullMarked
package dev.skipjack.outbox.kafka;

import org.jspecify.annotations.NullMarked;
