package dev.skipjack.sql;

import static dev.skipjack.model.Tables.JOB_LIMITS;

import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.Rate;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/** Reads the numbers of a limit from its row. */
public final class LimitColumns {

  /** The period of the rate in microseconds; NULL if there is no rate. A month has 30 days. */
  public static final Field<Long> RATE_PERIOD = RateLimit.period().as("rate_period_us");

  /** The columns that {@link #read} needs. */
  public static final List<Field<?>> ALL =
      List.of(
          JOB_LIMITS.MAX_RUNNING,
          JOB_LIMITS.MAX_RUNNING_PER_GROUP,
          JOB_LIMITS.RATE_KIND,
          JOB_LIMITS.RATE_COUNT,
          RATE_PERIOD,
          JOB_LIMITS.RATE_BURST,
          JOB_LIMITS.RATE_PER_GROUP);

  private LimitColumns() {}

  /**
   * {@return the numbers of the limit in {@code row}}
   *
   * @param row a row with all columns of {@link #ALL}
   * @throws SQLException if a column cannot be read
   */
  public static Limit read(Row row) throws SQLException {
    return new Limit(
        number(row.integerOrNull(JOB_LIMITS.MAX_RUNNING)),
        number(row.integerOrNull(JOB_LIMITS.MAX_RUNNING_PER_GROUP)),
        rate(row));
  }

  private static Optional<Rate> rate(Row row) throws SQLException {
    Integer count = row.integerOrNull(JOB_LIMITS.RATE_COUNT);
    if (count == null) {
      return Optional.empty();
    }
    return Optional.of(
        new Rate(
            Rate.Kind.of(row.text(JOB_LIMITS.RATE_KIND)),
            count,
            Duration.of(row.number(RATE_PERIOD), ChronoUnit.MICROS),
            Objects.requireNonNullElse(row.integerOrNull(JOB_LIMITS.RATE_BURST), count),
            row.flag(JOB_LIMITS.RATE_PER_GROUP)));
  }

  private static OptionalInt number(@Nullable Integer number) {
    return number == null ? OptionalInt.empty() : OptionalInt.of(number);
  }
}
