package dev.skipjack.store.jooq;

import java.lang.reflect.Field;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The read by which the driver peeks for more notifications before it returns one. It waits 1 ms
 * for bytes, so every wake-up arrives 1 ms late. Without it {@link
 * PGConnection#getNotifications(int)} still waits for the first notification, and returns all that
 * have arrived; those behind it are returned by the next call.
 *
 * <p>The driver skips the read until the time in a field of its stream, which it sets after a peek
 * that found the end of the stream. No public method reaches that field, so this class uses
 * reflection. In a driver that does not have it, notifications arrive as late as before (ADR 0033).
 */
final class NotificationPeek {

  private static final Logger LOG = LoggerFactory.getLogger(NotificationPeek.class);

  private static final String STREAM = "pgStream";
  private static final String NEXT_PEEK = "nextStreamAvailableCheckTime";
  private static final long NEVER = Long.MAX_VALUE;

  private NotificationPeek() {}

  /**
   * Makes {@code session} return notifications without the peek, if its driver allows that.
   *
   * @return restores the session. Run it before another user gets the session: over TLS, {@code
   *     getNotifications()} without a timeout finds nothing as long as the peek is skipped
   */
  static Runnable skip(PGConnection session) {
    try {
      return skipIn(((BaseConnection) session).getQueryExecutor());
    } catch (ReflectiveOperationException | RuntimeException | LinkageError unknownDriver) {
      LOG.debug("Driver returns notifications 1 ms late, as it has no peek to skip", unknownDriver);
      return () -> {};
    }
  }

  /**
   * Sets the field in the stream of the driver's query executor.
   *
   * @throws ReflectiveOperationException if there is none
   * @throws RuntimeException if it is not accessible, or not a {@code long}
   */
  static Runnable skipIn(Object executor) throws ReflectiveOperationException {
    Object stream = field(executor, STREAM).get(executor);
    Field nextPeek = field(stream, NEXT_PEEK);
    long driversOwn = nextPeek.getLong(stream);
    nextPeek.setLong(stream, NEVER);
    return () -> {
      try {
        nextPeek.setLong(stream, driversOwn);
      } catch (IllegalAccessException impossible) {
        throw new IllegalStateException("The field was accessible before", impossible);
      }
    };
  }

  /** Returns an accessible field of the object's class or of one that it extends. */
  private static Field field(Object owner, String name) throws NoSuchFieldException {
    for (Class<?> type = owner.getClass(); type != null; type = type.getSuperclass()) {
      for (Field declared : type.getDeclaredFields()) {
        if (declared.getName().equals(name)) {
          declared.setAccessible(true);
          return declared;
        }
      }
    }
    throw new NoSuchFieldException(owner.getClass().getName() + "." + name);
  }
}
