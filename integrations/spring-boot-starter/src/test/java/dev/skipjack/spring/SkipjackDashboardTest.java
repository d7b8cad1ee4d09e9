package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobType;
import dev.skipjack.dashboard.Access;
import dev.skipjack.dashboard.AccessRule;
import dev.skipjack.dashboard.Dashboard;
import dev.skipjack.dashboard.EnvironmentColour;
import dev.skipjack.dashboard.PayloadView;
import dev.skipjack.dashboard.Role;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.DefaultResourceLoader;

/** Requests the dashboard from applications with a web server. */
@QueueTest
class SkipjackDashboardTest {

  private static final String ENABLED = "--skipjack.dashboard.enabled=true";

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}

  @Configuration(proxyBeanMethods = false)
  static class WithRule {
    // snippet: access
    @Bean
    AccessRule dashboardAccess() {
      return request ->
          Optional.ofNullable(request.user())
              .map(
                  user ->
                      request.roles().test("ON_CALL")
                          ? Access.of(user, Role.ADMIN).payloads(true)
                          : Access.of(user, Role.VIEWER));
    }

    // end of snippet

    /** Replaces the login of the application. */
    @Bean
    Filter login() {
      return (request, response, chain) ->
          chain.doFilter(new LoggedIn((HttpServletRequest) request), response);
    }
  }

  /** A request that names its user in a header. */
  private static final class LoggedIn extends HttpServletRequestWrapper {
    LoggedIn(HttpServletRequest request) {
      super(request);
    }

    @Override
    public @Nullable Principal getUserPrincipal() {
      String user = getHeader("User");
      return user == null ? null : () -> user;
    }

    @Override
    public boolean isUserInRole(String role) {
      return role.equals("ON_CALL") && "anna".equals(getHeader("User"));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class WithDashboard {
    @Bean
    Dashboard dashboard(JobQueue queue) {
      return Dashboard.on(queue)
          .access(request -> Optional.of(Access.of("carl", Role.OPERATOR)))
          .environment("staging", EnvironmentColour.AMBER)
          .build();
    }
  }

  private final QueueDatabase database;
  private final HttpClient client = HttpClient.newHttpClient();

  SkipjackDashboardTest(QueueDatabase database) {
    this.database = database;
  }

  private String[] with(String... properties) {
    return Stream.concat(
            Stream.of(
                "--spring.main.web-application-type=servlet",
                "--server.port=0",
                "--spring.datasource.url=" + database.jdbcUrl(),
                "--skipjack.schema=" + database.schema(),
                "--skipjack.migrate=off"),
            Arrays.stream(properties))
        .toArray(String[]::new);
  }

  private ConfigurableApplicationContext start(Class<?> beans, String... properties) {
    return new SpringApplicationBuilder(Application.class, beans).run(with(properties));
  }

  private HttpResponse<String> get(
      ConfigurableApplicationContext application, String path, String... headers)
      throws IOException, InterruptedException {
    URI address =
        URI.create(
            "http://localhost:"
                + application.getEnvironment().getRequiredProperty("local.server.port")
                + path);
    HttpRequest.Builder request = HttpRequest.newBuilder(address);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void thereIsNoDashboardUnlessItIsEnabled() throws Exception {
    try (ConfigurableApplicationContext application = start(WithRule.class)) {
      assertThat(application.getBeansOfType(Dashboard.class)).isEmpty();
      assertThat(get(application, "/skipjack/", "User", "anna").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void withoutAnAccessRuleOnlyThisMachineMayRead() throws Exception {
    try (ConfigurableApplicationContext application = start(Application.class, ENABLED)) {
      HttpResponse<String> page = get(application, "/skipjack/");
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.body()).contains("viewer").doesNotContain(">Pause<");

      HttpResponse<String> passedOn =
          get(application, "/skipjack/", "X-Forwarded-For", "203.0.113.9");
      assertThat(passedOn.statusCode()).isEqualTo(403);
      assertThat(passedOn.body()).contains("no access rule");
    }
  }

  @Test
  void theAccessRuleDecidesByTheLoginOfTheApplication() throws Exception {
    try (ConfigurableApplicationContext application =
        start(
            WithRule.class,
            ENABLED,
            "--skipjack.dashboard.path=/ops/jobs",
            "--server.servlet.context-path=/shop")) {
      String path = "/shop/ops/jobs/";
      assertThat(get(application, path).statusCode()).isEqualTo(403);
      assertThat(get(application, path, "User", "bert").body()).contains("bert", "viewer");
      assertThat(get(application, path, "User", "anna").body()).contains("anna", "admin");
      assertThat(get(application, path + "assets/dashboard.css", "User", "anna").statusCode())
          .isEqualTo(200);
      assertThat(get(application, "/shop/ops/jobs", "User", "anna").headers().map())
          .containsKey("Location");
    }
  }

  @Test
  void aDashboardOfTheApplicationIsServed() throws Exception {
    try (ConfigurableApplicationContext application = start(WithDashboard.class, ENABLED)) {
      assertThat(get(application, "/skipjack/queues").body()).contains("carl", "staging");
    }
  }

  @Test
  void theFieldsOfThePayloadViewAreMasked() throws Exception {
    try (ConfigurableApplicationContext application =
        new SpringApplicationBuilder(Application.class, WithRule.class)
            .initializers(
                context ->
                    context.getBeanFactory().registerSingleton("view", PayloadView.masking("iban")))
            .run(with(ENABLED))) {
      String job =
          application
              .getBean(JobQueue.class)
              .enqueue(JobType.of("pay", Payment.class), new Payment("DE02", "tea"))
              .toString();

      assertThat(get(application, "/skipjack/jobs/" + job, "User", "anna").body())
          .contains("tea")
          .doesNotContain("DE02");
    }
  }

  record Payment(String iban, String text) {}

  @Test
  void theStartFailsIfTheDashboardIsEnabledButNotOnTheClassPath() {
    SpringApplicationBuilder application =
        new SpringApplicationBuilder(
            new DefaultResourceLoader(new FilteredClassLoader("dev.skipjack.dashboard")),
            Application.class);

    assertThatThrownBy(() -> application.run(with(ENABLED)))
        .hasStackTraceContaining("Add the dependency dev.skipjack:skipjack-dashboard");
  }

  @Test
  void anApplicationWithoutAWebServerHasNoDashboard() {
    Contexts.on(database)
        .withPropertyValues("skipjack.dashboard.enabled=true")
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Dashboard.class));
  }
}
