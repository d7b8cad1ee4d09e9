package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The code of the guide {@code docs/guides/dashboard.md}. */
@QueueTest
class DashboardGuideTest {

  // snippet: rule
  static Dashboard dashboardOf(JobQueue queue) {
    return Dashboard.on(queue)
        .access(DashboardGuideTest::accessOf)
        .redact(PayloadView.standard().and(PayloadView.masking("iban", "street")))
        .environment("production", EnvironmentColour.RED)
        .build();
  }

  private static Optional<Access> accessOf(Request request) {
    if (request.user() == null) {
      return Optional.empty();
    }
    if (request.roles().test("billing-support")) {
      return Optional.of(Access.of(request.user(), Role.OPERATOR).queues("billing", "emails"));
    }
    return request.roles().test("on-call")
        ? Optional.of(Access.of(request.user(), Role.ADMIN).payloads(true))
        : Optional.of(Access.of(request.user(), Role.VIEWER));
  }

  // end of snippet

  private static Response get(Dashboard dashboard, @Nullable String user, String role) {
    return dashboard.handle(
        new Request(
            "GET",
            "/",
            Map.of("Host", List.of("shop.example")),
            Map.of(),
            Map.of(),
            user,
            role::equals,
            true));
  }

  @Test
  void theRuleOfTheGuideDecidesByTheRolesOfTheServer(QueueDatabase database) {
    try (Dashboard dashboard = dashboardOf(JobQueue.on(database.dataSource()))) {
      assertThat(get(dashboard, null, "on-call").status()).isEqualTo(403);
      assertThat(get(dashboard, "anna", "on-call").text())
          .contains("anna", "admin", "production", "Doctor");
      assertThat(get(dashboard, "bert", "billing-support").text())
          .contains("operator")
          .doesNotContain("Doctor");
      assertThat(get(dashboard, "carl", "other").text()).contains("viewer");
      assertThat(get(dashboard, "carl", "other").headers())
          .anyMatch(header -> header.value().endsWith("; Secure"));
    }
  }
}
