"""Seven reasons gave advice to operators, and customers read it: what a registry is off for is said in their words."""

from django.db import migrations

WALL = "The search stands behind a bot wall (Akamai) that refuses plain clients"
REASONS = {
    "AK": (
        "The search asks for a captcha (reCAPTCHA) behind a bot wall (DataDome); load the published register.",
        "The search asks for a captcha (reCAPTCHA) behind a bot wall (DataDome).",
    ),
    "CA": (
        "Get a free CALICO key (calicodev.sos.ca.gov), set CALICO_KEY and switch California on; without the key the "
        "portal's bot wall (Imperva) refuses programs.",
        "The registry's data service wants a key that is not set up here; without it the portal's bot wall (Imperva) "
        "refuses programs.",
    ),
    "IA": (f"{WALL}; load the published register.", f"{WALL}."),
    "MA": (
        "The portal answers programs with an Imperva challenge; the register is sold as files, which can be loaded.",
        "The portal answers programs with an Imperva challenge; the register is sold as files.",
    ),
    "MS": (
        "The portal's bot wall (Akamai) refuses many programs; switch on to try.",
        "The portal's bot wall (Akamai) refuses many programs.",
    ),
    "VT": (
        "The portal asks for a captcha behind Imperva, and its question is not known; load its weekly file.",
        "The portal asks for a captcha behind Imperva, and its question is not known.",
    ),
    "VA": (
        "The portal asks for a captcha (reCAPTCHA v3) on every search by name; load the published register.",
        "The portal asks for a captcha (reCAPTCHA v3) on every search by name.",
    ),
}


def say_it_to_customers(apps, schema_editor):
    rows = apps.get_model("jurisdictions", "Jurisdiction").objects
    for code, (before, after) in REASONS.items():
        rows.filter(pk=code, enabled=False, reason=before).update(reason=after)


class Migration(migrations.Migration):

    dependencies = [("jurisdictions", "0002_contact")]

    operations = [migrations.RunPython(say_it_to_customers, migrations.RunPython.noop)]
