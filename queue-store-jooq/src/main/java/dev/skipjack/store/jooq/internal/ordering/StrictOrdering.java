package dev.skipjack.store.jooq.internal.ordering;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skipjack.api.spi.NewJob;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.Session;
import dev.skipjack.sql.Statement;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jooq.DSLContext;

/**
 * Takes the locks that order the jobs of an ordering key by their commits, for jobs with strict
 * ordering. An enqueue takes them before it draws ids. Safe for any number of threads.
 */
public final class StrictOrdering {

  private final Statement<SortedSet<Integer>, Boolean> lock;

  public StrictOrdering(Lazy<DSLContext> dialect) {
    this.lock = Statement.lazily(() -> LockStripesStatement.of(dialect.get()));
  }

  /** Returns whether one of the jobs needs a lock. */
  public static boolean isUsedBy(Collection<NewJob> jobs) {
    return jobs.stream().anyMatch(NewJob::hasStrictOrdering);
  }

  /**
   * Takes the locks of those jobs that need one, until the session's transaction ends. Must be
   * called once for all jobs of a call, before the first of them is inserted.
   */
  public void lock(Session session, Collection<NewJob> jobs) throws SQLException {
    SortedSet<Integer> stripes = new TreeSet<>();
    for (NewJob job : jobs) {
      String key = job.orderingKey();
      if (key != null && job.hasStrictOrdering()) {
        stripes.add(stripe(key));
      }
    }
    if (!stripes.isEmpty()) {
      List<Boolean> unused = session.run(lock, stripes);
    }
  }

  /**
   * Returns the number of the key's lock, from 0 to 1,023: the first ten bits of its SHA-256. The
   * schema's function {@code enqueue} computes the same number.
   */
  static int stripe(String key) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(key.getBytes(UTF_8));
      return Byte.toUnsignedInt(hash[0]) << 2 | Byte.toUnsignedInt(hash[1]) >> 6;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JVM has SHA-256.", e);
    }
  }
}
