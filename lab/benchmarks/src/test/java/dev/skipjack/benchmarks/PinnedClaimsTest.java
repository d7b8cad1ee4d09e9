package dev.skipjack.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.LinkedHashMap;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PinnedClaimsTest {

  private static final Offset<Double> PRECISION = within(0.1);

  private final PinnedClaims claims = new PinnedClaims();

  @Test
  void fullClaimIsNotCountedAmongTheOtherClaims() {
    claims.add(10, true, 2_000_000);
    claims.add(10, false, 90_000_000);

    assertThat(claims.withoutFullClaims().maxMillis()).isCloseTo(2, PRECISION);
    assertThat(claims.all().maxMillis()).isCloseTo(90, PRECISION);
    assertThat(claims.unmarked().maxMillis()).isCloseTo(90, PRECISION);
  }

  @Test
  void emptyFullClaimCountsAsFullClaim() {
    claims.add(10, true, 2_000_000);
    claims.add(0, true, 50_000_000);
    claims.add(0, false, 90_000_000);

    assertThat(claims.marked().count()).isEqualTo(1);
    assertThat(claims.all().count()).isEqualTo(1);
    assertThat(claims.unmarked().count()).isEqualTo(1);
    assertThat(claims.unmarked().maxMillis()).isCloseTo(90, PRECISION);
  }

  @Test
  void noClaimIsAFullClaimIfNoneHasAMark() {
    claims.add(10, false, 2_000_000);
    claims.add(0, false, 1_000_000);

    assertThat(claims.withoutFullClaims().count()).isEqualTo(1);
    assertThat(claims.withoutFullClaims().maxMillis()).isCloseTo(2, PRECISION);
  }

  @Test
  void rowHasNoPercentileIfThereAreNoClaims() {
    claims.add(10, false, 2_000_000);
    Map<String, @Nullable Object> row = new LinkedHashMap<>();

    claims.into(row);

    assertThat(row)
        .containsEntry("marked", 0L)
        .containsEntry("marked_p99_ms", null)
        .containsEntry("unmarked", 1L);
    assertThat((Double) row.get("unmarked_max_ms")).isCloseTo(2, PRECISION);
  }
}
