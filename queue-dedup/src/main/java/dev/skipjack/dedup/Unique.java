package dev.skipjack.dedup;

import java.util.function.Function;

/**
 * What makes a job unique: its key, taken from the payload, within the jobs of one kind. The key is
 * held from the enqueue until the job completes or dies; a second job of the key is not created,
 * and the caller is told which job holds it. Immutable.
 *
 * <p>A job that is running still holds its key: an event that arrives while the handler works on an
 * earlier one is answered as already queued, and that handler may not see it.
 *
 * @param <T> the payload
 */
public final class Unique<T> {

  private final Function<T, String> key;

  private Unique(Function<T, String> key) {
    this.key = key;
  }

  /**
   * By a key that is taken from the payload.
   *
   * @param key answers 1 to 1,000,000 characters, without NUL and lone surrogates; keys that are
   *     not short are stored hashed
   */
  public static <T> Unique<T> by(Function<T, String> key) {
    return new Unique<>(key);
  }

  String keyOf(T payload) {
    return key.apply(payload);
  }
}
