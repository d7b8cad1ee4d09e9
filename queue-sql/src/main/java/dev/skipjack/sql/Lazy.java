package dev.skipjack.sql;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value that is created when it is first needed. Safe for any number of threads: one creates the
 * value, and the others wait for it.
 *
 * <p>Loading the classes of jOOQ takes longer than all other steps of creating a queue
 * (docs/adr/0045). A queue therefore creates an object that needs jOOQ only when it uses the
 * object.
 */
public final class Lazy<T> implements Supplier<T> {

  private final Supplier<T> creation;

  private volatile @Nullable T value;

  private Lazy(Supplier<T> creation) {
    this.creation = creation;
  }

  /**
   * {@return a value that {@code creation} creates}
   *
   * @param <T> the type of the value
   * @param creation creates the value; called again if it has thrown an exception
   */
  public static <T> Lazy<T> of(Supplier<T> creation) {
    return new Lazy<>(creation);
  }

  @Override
  public T get() {
    T created = value;
    if (created == null) {
      synchronized (this) {
        created = value;
        if (created == null) {
          created = creation.get();
          value = created;
        }
      }
    }
    return created;
  }
}
