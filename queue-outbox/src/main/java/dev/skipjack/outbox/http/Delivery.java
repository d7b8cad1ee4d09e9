package dev.skipjack.outbox.http;

import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The next event of an aggregate, and its endpoint.
 *
 * @param position the position of the event in the batch
 * @param later the positions of the later events of its aggregate
 * @param endpoint null if it must be looked up
 */
record Delivery(int position, Queue<Integer> later, @Nullable HttpEndpoint endpoint) {}
