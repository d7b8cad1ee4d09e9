package dev.skipjack.spring;

import dev.skipjack.dashboard.AccessRule;
import dev.skipjack.dashboard.Dashboard;
import dev.skipjack.dashboard.DashboardServlet;
import dev.skipjack.dashboard.PayloadView;
import dev.skipjack.store.jooq.JobQueue;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/**
 * Serves the dashboard on the port of the application if {@code skipjack.dashboard.enabled} is true
 * and {@code skipjack-dashboard} is on the class path.
 *
 * <p>The {@code AccessRule} bean decides who may use it. If there is no such bean, the dashboard
 * responds only to requests from its own machine, and changes nothing.
 */
@AutoConfiguration(after = SkipjackAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@Conditional(OnEnabled.Dashboard.class)
public class SkipjackDashboardAutoConfiguration {

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "dev.skipjack.dashboard.Dashboard")
  static class Present {

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnSingleCandidate(JobQueue.class)
    Dashboard skipjackDashboard(
        JobQueue queue, ObjectProvider<AccessRule> rules, ObjectProvider<PayloadView> views) {
      Dashboard.Builder builder = Dashboard.on(queue);
      AccessRule rule = rules.getIfAvailable();
      if (rule != null) {
        builder.access(rule);
      }
      PayloadView view = views.getIfAvailable();
      if (view != null) {
        builder.redact(view);
      }
      return builder.build();
    }

    @Bean
    @ConditionalOnSingleCandidate(Dashboard.class)
    ServletRegistrationBean<DashboardServlet> skipjackDashboardServlet(
        Dashboard dashboard, SkipjackProperties properties) {
      ServletRegistrationBean<DashboardServlet> registration =
          new ServletRegistrationBean<>(
              new DashboardServlet(dashboard), properties.dashboard().path() + "/*");
      registration.setName("skipjackDashboard");
      return registration;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingClass("dev.skipjack.dashboard.Dashboard")
  static class Missing {
    Missing() {
      throw new IllegalStateException(
          "Property skipjack.dashboard.enabled is true, but the dashboard is not on the class path."
              + " Add the dependency dev.skipjack:skipjack-dashboard, or remove the property.");
    }
  }
}
