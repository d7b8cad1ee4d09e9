package dev.skipjack.store.jooq.internal;

import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.param;

import dev.skipjack.api.spi.NewJob;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Texts;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jooq.DataType;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.TableField;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * A value of a new job and its column in {@code jobs}. The value is an element of an array if
 * several jobs are inserted, or a separate parameter if one job is inserted.
 *
 * @param name the name of the value in SQL, and of its parameter if one job is inserted
 * @param array the parameter if several jobs are inserted
 * @param single the parameter if one job is inserted, as a column called {@code name}
 * @param read reads the value from a job
 * @param bindAll sets the array
 * @param bindOne sets the single parameter
 * @param target the column, or null for a value that is part of another column's value
 * @param value the expression that is inserted into {@code target}
 */
record JobColumn(
    String name,
    Param<?> array,
    Field<?> single,
    Function<NewJob, ? extends @Nullable Object> read,
    BiConsumer<Arguments, List<NewJob>> bindAll,
    BiConsumer<Arguments, NewJob> bindOne,
    @Nullable Field<?> target,
    @Nullable Field<?> value) {

  private JobColumn(
      String name,
      Param<?> array,
      Field<?> single,
      Function<NewJob, ? extends @Nullable Object> read,
      BiConsumer<Arguments, List<NewJob>> bindAll,
      BiConsumer<Arguments, NewJob> bindOne) {
    this(name, array, single, read, bindAll, bindOne, null, null);
  }

  static JobColumn text(String name, String array, Function<NewJob, @Nullable String> value) {
    return new JobColumn(
        name,
        Texts.array(array),
        Texts.param(name).as(name),
        value,
        (arguments, jobs) -> arguments.texts(array, jobs, value),
        (arguments, job) -> arguments.text(name, value.apply(job)));
  }

  static JobColumn integer(String name, String array, Function<NewJob, @Nullable Integer> value) {
    return new JobColumn(
        name,
        param(array, Integer[].class),
        single(name, SQLDataType.INTEGER),
        value,
        (arguments, jobs) -> arguments.integers(array, jobs, value),
        (arguments, job) -> arguments.integer(name, value.apply(job)));
  }

  static JobColumn smallint(String name, String array, Function<NewJob, @Nullable Integer> value) {
    return new JobColumn(
        name,
        param(array, Short[].class),
        single(name, SQLDataType.SMALLINT),
        value,
        (arguments, jobs) -> arguments.smallints(array, jobs, value),
        (arguments, job) -> arguments.integer(name, value.apply(job)));
  }

  static JobColumn bigint(String name, String array, Function<NewJob, @Nullable Long> value) {
    return new JobColumn(
        name,
        param(array, Long[].class),
        single(name, SQLDataType.BIGINT),
        value,
        (arguments, jobs) -> arguments.bigints(array, jobs, value),
        (arguments, job) -> arguments.numberOrNull(name, value.apply(job)));
  }

  static JobColumn timestamp(String name, String array, Function<NewJob, @Nullable Instant> value) {
    Function<NewJob, @Nullable String> text =
        job -> {
          Instant instant = value.apply(job);
          return instant == null ? null : instant.toString();
        };
    return new JobColumn(
        name,
        param(array, SQLDataType.INSTANT.getArrayDataType()),
        Texts.param(name).cast(SQLDataType.INSTANT).as(name),
        value,
        (arguments, jobs) -> arguments.timestamps(array, jobs, text),
        (arguments, job) -> arguments.text(name, text.apply(job)));
  }

  private static <T> Field<T> single(String name, DataType<T> type) {
    return cast(param(name, type), type).as(name);
  }

  /** Returns a copy whose value is inserted into {@code column} as {@code inserted}. */
  <T> JobColumn into(TableField<?, T> column, Field<T> inserted) {
    return new JobColumn(name, array, single, read, bindAll, bindOne, column, inserted);
  }

  /** Returns whether all jobs have the same value. */
  boolean isEqualIn(List<NewJob> jobs) {
    Object first = read.apply(jobs.get(0));
    return jobs.stream().allMatch(job -> Objects.equals(read.apply(job), first));
  }

  void addTo(Map<Field<?>, Field<?>> values) {
    if (target != null && value != null) {
      values.put(target, value);
    }
  }
}
