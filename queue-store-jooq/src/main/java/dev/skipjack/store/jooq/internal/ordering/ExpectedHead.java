package dev.skipjack.store.jooq.internal.ordering;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.param;

import dev.skipjack.api.JobId;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Texts;
import org.jooq.Condition;
import org.jooq.Param;
import org.jspecify.annotations.Nullable;

/**
 * The job from which an operator takes an ordering key.
 *
 * @param head the job that must hold the key, or null for any job
 */
public record ExpectedHead(String key, @Nullable JobId head) {

  private static final Param<Long> HEAD = param("head", Long.class);

  /** The condition that the job holds the key. */
  static final Condition HOLDS_KEY = JOBS.ORDERING_KEY.eq(Texts.param("key")).and(Promotion.HEAD);

  /** The condition that the job is the expected one. */
  static final Condition IS_EXPECTED = JOBS.ID.eq(coalesce(HEAD, JOBS.ID));

  Arguments arguments() {
    return new Arguments()
        .text("key", key)
        .numberOrNull("head", head == null ? null : head.value());
  }
}
