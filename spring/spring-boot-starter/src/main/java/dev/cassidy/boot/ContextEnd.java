package dev.cassidy.boot;

import dev.cassidy.cluster.ExitHook;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Keeps the hook of the process's exit from closing sequences that the context still uses: its graceful shutdown lets requests
 * finish. It is a post-processor of the factory so that it is made first and destroyed last.
 */
final class ContextEnd
        implements BeanFactoryPostProcessor,
                ApplicationContextAware,
                ApplicationListener<ContextClosedEvent>,
                DisposableBean {

    private final ExitHook.Hold hold = ExitHook.INSTANCE.hold();
    private @Nullable ApplicationContext own;

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        // It is here to be made early.
    }

    @Override
    public void setApplicationContext(ApplicationContext context) {
        own = context;
    }

    /** It comes before the graceful shutdown. A parent hears of its children's end as well. */
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext() == own) {
            hold.ending();
        }
    }

    @Override
    public void destroy() {
        hold.close();
    }
}
