package dev.skipjack.store.jooq;

import java.lang.reflect.Field;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Skips the read with which the driver checks for further notifications before it returns one. That
 * read waits 1 ms, so every wake-up would arrive 1 ms late. Without the read, {@link
 * PGConnection#getNotifications(int)} still waits for the first notification and returns all that
 * have arrived.
 *
 * <p>The driver skips the read until a time that is stored in a field of its stream. No public
 * method sets the field, so this class uses reflection. If the driver has no such field,
 * notifications arrive 1 ms late (docs/adr/0033).
 */
final class NotificationPeek {

  private static final Logger LOG = LoggerFactory.getLogger(NotificationPeek.class);

  private static final String STREAM = "pgStream";
  private static final String NEXT_PEEK = "nextStreamAvailableCheckTime";
  private static final long NEVER = Long.MAX_VALUE;

  private NotificationPeek() {}

  /**
   * Makes {@code session} return notifications without that read, if its driver permits it.
   *
   * @return an action that restores the session. Run it before anything else uses the session: over
   *     TLS, {@code getNotifications()} without a timeout finds nothing as long as the read is
   *     skipped
   */
  static Runnable skip(PGConnection session) {
    try {
      return skipIn(((BaseConnection) session).getQueryExecutor());
    } catch (ReflectiveOperationException | RuntimeException | LinkageError unknownDriver) {
      LOG.debug(
          "Notifications arrive 1 ms late, because the driver's peek cannot be skipped",
          unknownDriver);
      return () -> {};
    }
  }

  /**
   * Sets the field in the stream of the driver's query executor.
   *
   * @throws ReflectiveOperationException if there is no such field
   * @throws RuntimeException if the field is not accessible or not a {@code long}
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

  /**
   * Returns a field of the object's class or of one of its superclasses, and makes it accessible.
   */
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
