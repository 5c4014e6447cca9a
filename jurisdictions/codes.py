"""The jurisdictions themselves: plain data that no operator changes, so no Django here.

Source of names and portal addresses: the registries' own pages, as listed in the portal catalogue (2026-11).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A state, district or territory: its code, name, slug, region, registry and the portal a person would use."""

    code: str
    name: str
    region: str
    registry: str
    portal_url: str

    @property
    def slug(self) -> str:
        """The name as it stands in an entity page's address."""
        return self.name.lower().replace(".", "").replace(" ", "-")


_SOS = "Secretary of State"
_ROWS: tuple[tuple[str, str, str, str, str], ...] = (
    ("AL", "Alabama", "South", f"Alabama {_SOS}", "https://arc-sos.state.al.us/CGI/CORPNAME.MBR/INPUT"),
    ("AK", "Alaska", "West", "Alaska Division of Corporations, Business and Professional Licensing",
     "https://www.commerce.alaska.gov/cbp/main/search/entities"),
    ("AZ", "Arizona", "West", "Arizona Corporation Commission", "https://arizonabusinesscenter.azcc.gov/businesssearch"),
    ("AR", "Arkansas", "South", f"Arkansas {_SOS}", "https://sos-corp-search.ark.org/corps"),
    ("CA", "California", "West", f"California {_SOS}", "https://bizfileonline.sos.ca.gov/search/business"),
    ("CO", "Colorado", "West", f"Colorado {_SOS}", "https://www.coloradosos.gov/biz/BusinessEntityCriteriaExt.do"),
    ("CT", "Connecticut", "Northeast", "Connecticut Secretary of the State",
     "https://service.ct.gov/business/s/onlinebusinesssearch"),
    ("DE", "Delaware", "South", "Delaware Division of Corporations",
     "https://icis.corp.delaware.gov/ecorp/entitysearch/namesearch.aspx"),
    ("DC", "District of Columbia", "South", "DC Department of Licensing and Consumer Protection",
     "https://corponline.dlcp.dc.gov"),
    ("FL", "Florida", "South", "Florida Division of Corporations",
     "https://search.sunbiz.org/Inquiry/CorporationSearch/ByName"),
    ("GA", "Georgia", "South", f"Georgia {_SOS}", "https://ecorp.sos.ga.gov/BusinessSearch"),
    ("HI", "Hawaii", "West", "Hawaii Business Registration Division", "https://hbe.dcca.hawaii.gov/search-and-buy"),
    ("ID", "Idaho", "West", f"Idaho {_SOS}", "https://sosbiz.idaho.gov/search/business"),
    ("IL", "Illinois", "Midwest", f"Illinois {_SOS}", "https://apps.ilsos.gov/businessentitysearch/"),
    ("IN", "Indiana", "Midwest", f"Indiana {_SOS}", "https://bsd.sos.in.gov/publicbusinesssearch"),
    ("IA", "Iowa", "Midwest", f"Iowa {_SOS}", "https://sos.iowa.gov/search/business/Search.aspx"),
    ("KS", "Kansas", "Midwest", f"Kansas {_SOS}", "https://www.sos.ks.gov/eforms/BusinessEntity/Search.aspx"),
    ("KY", "Kentucky", "South", f"Kentucky {_SOS}", "https://sosbes.sos.ky.gov/BusSearchNProfile/search.aspx"),
    ("LA", "Louisiana", "South", f"Louisiana {_SOS}",
     "https://coraweb.sos.la.gov/commercialsearch/commercialsearch.aspx"),
    ("ME", "Maine", "Northeast", f"Maine {_SOS}", "https://apps3.web.maine.gov/nei-sos-icrs/ICRS?MainPage=x"),
    ("MD", "Maryland", "South", "Maryland State Department of Assessments and Taxation",
     "https://egov.maryland.gov/BusinessExpress/EntitySearch"),
    ("MA", "Massachusetts", "Northeast", "Massachusetts Secretary of the Commonwealth",
     "https://corp.sec.state.ma.us/CorpWeb/CorpSearch/CorpSearch.aspx"),
    ("MI", "Michigan", "Midwest", "Michigan Department of Licensing and Regulatory Affairs",
     "https://mibusinessregistry.lara.state.mi.us/search/business"),
    ("MN", "Minnesota", "Midwest", f"Minnesota {_SOS}", "https://mblsportal.sos.mn.gov/Business/Search"),
    ("MS", "Mississippi", "South", f"Mississippi {_SOS}", "https://corp.sos.ms.gov/corp/portal/c/page/corpBusinessIdSearch/portal.aspx"),
    ("MO", "Missouri", "Midwest", f"Missouri {_SOS}", "https://bsd.sos.mo.gov/BusinessEntity/BESearch.aspx?SearchType=0"),
    ("MT", "Montana", "West", f"Montana {_SOS}", "https://biz.sosmt.gov/search/business"),
    ("NE", "Nebraska", "Midwest", f"Nebraska {_SOS}", "https://www.nebraska.gov/sos/corp/corpsearch.cgi?nav=search"),
    ("NV", "Nevada", "West", f"Nevada {_SOS}", "https://esos.nv.gov/EntitySearch/OnlineEntitySearch"),
    ("NH", "New Hampshire", "Northeast", f"New Hampshire {_SOS}", "https://quickstart.sos.nh.gov/online/BusinessInquire"),
    ("NJ", "New Jersey", "Northeast", "New Jersey Division of Revenue and Enterprise Services",
     "https://www.njportal.com/DOR/BusinessNameSearch/Search/BusinessName"),
    ("NM", "New Mexico", "West", f"New Mexico {_SOS}", "https://enterprise.sos.nm.gov/search/business"),
    ("NY", "New York", "Northeast", "New York Department of State", "https://apps.dos.ny.gov/publicInquiry/"),
    ("NC", "North Carolina", "South", f"North Carolina {_SOS}",
     "https://www.sosnc.gov/online_services/search/by_title/_Business_Registration"),
    ("ND", "North Dakota", "Midwest", f"North Dakota {_SOS}", "https://firststop.sos.nd.gov/search/business"),
    ("OH", "Ohio", "Midwest", f"Ohio {_SOS}", "https://businesssearch.ohiosos.gov/"),
    ("OK", "Oklahoma", "South", f"Oklahoma {_SOS}", "https://www.sos.ok.gov/corp/corpInquiryFind.aspx"),
    ("OR", "Oregon", "West", f"Oregon {_SOS}", "https://sos.oregon.gov/business/pages/find.aspx"),
    ("PA", "Pennsylvania", "Northeast", "Pennsylvania Department of State", "https://file.dos.pa.gov/search/business"),
    ("RI", "Rhode Island", "Northeast", "Rhode Island Department of State",
     "https://business.sos.ri.gov/CorpWeb/CorpSearch/CorpSearch.aspx"),
    ("SC", "South Carolina", "South", f"South Carolina {_SOS}", "https://businessfilings.sc.gov/BusinessFiling/Entity/Search"),
    ("SD", "South Dakota", "Midwest", f"South Dakota {_SOS}", "https://sosenterprise.sd.gov/BusinessServices/Business/FilingSearch.aspx"),
    ("TN", "Tennessee", "South", f"Tennessee {_SOS}", "https://tncab.tnsos.gov/business-entity-search"),
    ("TX", "Texas", "South", f"Texas {_SOS}; Comptroller of Public Accounts",
     "https://comptroller.texas.gov/taxes/franchise/account-status/search"),
    ("UT", "Utah", "West", "Utah Division of Corporations and Commercial Code",
     "https://businessregistration.utah.gov/EntitySearch/OnlineEntitySearch"),
    ("VT", "Vermont", "Northeast", f"Vermont {_SOS}", "https://bizfilings.vermont.gov/business/businesssearch"),
    ("VA", "Virginia", "South", "Virginia State Corporation Commission", "https://cis.scc.virginia.gov/EntitySearch/Index"),
    ("WA", "Washington", "West", f"Washington {_SOS}", "https://ccfs.sos.wa.gov/#/BusinessSearch"),
    ("WV", "West Virginia", "South", f"West Virginia {_SOS}", "https://apps.wv.gov/SOS/BusinessEntitySearch/"),
    ("WI", "Wisconsin", "Midwest", "Wisconsin Department of Financial Institutions", "https://apps.dfi.wi.gov/apps/CorpSearch/Search.aspx"),
    ("WY", "Wyoming", "West", f"Wyoming {_SOS}", "https://wyobiz.wyo.gov/Business/FilingSearch.aspx"),
    ("PR", "Puerto Rico", "Territory", "Puerto Rico Department of State", "https://rcp.estado.pr.gov/en/search"),
    ("VI", "US Virgin Islands", "Territory", "Office of the Lieutenant Governor of the Virgin Islands",
     "https://www.corporationsandtrademarks.vi.gov"),
    ("AS", "American Samoa", "Territory", "American Samoa Territorial Registrar", ""),
    ("GU", "Guam", "Territory", "Guam Department of Revenue and Taxation", "https://www.guamtax.com"),
    ("MP", "Northern Mariana Islands", "Territory", "CNMI Registrar of Corporations", "https://registrar.cnmi.gov/"),
)  # fmt: skip


class _Places(dict[str, Place]):
    """What another version has kept of a place that this one does not know is read all the same, under its code."""

    def __missing__(self, code: str) -> Place:
        return Place(code, code, "", "", "")


PLACES: dict[str, Place] = _Places({row[0]: Place(*row) for row in _ROWS})
"""Every jurisdiction by its two-letter code."""

CHOICES = sorted(((code, place.name) for code, place in PLACES.items()), key=lambda one: one[1])
"""Code and name of each, by name."""

_BY_SLUG = {place.slug: place for place in PLACES.values()}
_BY_NAME = {place.name.upper(): place.code for place in PLACES.values()}


def find_by_slug(slug: str) -> Place | None:
    """Return the place behind the slug of an entity page's address, or None."""
    return _BY_SLUG.get(slug)


def find_code(text: str) -> str | None:
    """Return the code for "NY", "ny" or "New York"; None for anything else."""
    word = " ".join(text.split()).upper()
    return word if word in PLACES else _BY_NAME.get(word)
